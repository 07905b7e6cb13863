import { useMantineColorScheme } from '@mantine/core'
import { useLocation } from 'wouter'
import { useMay, useMayForAll } from '../../session/session.ts'
import { useSignOut } from '../../session/use-sign-out.ts'

interface Command {
  readonly label: string
  readonly onClick: () => void
}

/** What can be done from anywhere. */
export function useCommands(onHelp: () => void): readonly Command[] {
  const [, navigate] = useLocation()
  const { setColorScheme } = useMantineColorScheme()
  const signOut = useSignOut()
  const isAdmin = useMay('admin')
  const mayForAll = useMayForAll()
  return [
    ...(isAdmin ? [{ label: 'New connection', onClick: () => navigate('/connections/new') }] : []),
    ...(mayForAll ? [{ label: 'New playbook', onClick: () => navigate('/playbooks/new') }] : []),
    ...(isAdmin ? [{ label: 'New key', onClick: () => navigate('/keys?new=yes') }] : []),
    { label: 'Keyboard shortcuts', onClick: onHelp },
    { label: 'Light theme', onClick: () => setColorScheme('light') },
    { label: 'Dark theme', onClick: () => setColorScheme('dark') },
    { label: 'Sign out', onClick: signOut },
  ]
}
