import { ActionIcon, Kbd, Menu, Text, useMantineColorScheme, type MantineColorScheme } from '@mantine/core'
import {
  CodeIcon,
  DesktopIcon,
  ExitIcon,
  KeyboardIcon,
  MoonIcon,
  PersonIcon,
  SunIcon,
} from '@radix-ui/react-icons'
import { addressOf } from '../api/call.ts'
import { useSession } from '../session/session.ts'
import { useSignOut } from '../session/use-sign-out.ts'

const schemes = [
  { value: 'light', label: 'Light', icon: SunIcon },
  { value: 'dark', label: 'Dark', icon: MoonIcon },
  { value: 'auto', label: 'System', icon: DesktopIcon },
] as const satisfies readonly { value: MantineColorScheme; label: string; icon: unknown }[]

/** Who is signed in, how the page looks, and the way out. */
export function PersonMenu({ onHelp }: { readonly onHelp: () => void }) {
  const { key_name: name, role, organization_codes: codes } = useSession()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const signOut = useSignOut()
  return (
    <Menu width={220} position="bottom-end" withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <ActionIcon variant="default" size="lg" aria-label={`Signed in as ${name}`}>
          <PersonIcon />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <Text size="sm" c="bright" fw={600} truncate>
            {name}
          </Text>
          <Text size="xs">
            {role} · {codes === null ? 'all organizations' : codes.join(', ')}
          </Text>
        </Menu.Label>
        <Menu.Divider />
        {schemes.map(({ value, label, icon: Icon }) => (
          <Menu.Item
            key={value}
            leftSection={<Icon />}
            aria-current={colorScheme === value}
            fw={colorScheme === value ? 600 : undefined}
            onClick={() => setColorScheme(value)}
          >
            {label}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item leftSection={<KeyboardIcon />} rightSection={<Kbd size="xs">?</Kbd>} onClick={onHelp}>
          Shortcuts
        </Menu.Item>
        <Menu.Item
          component="a"
          href={addressOf('/docs')}
          target="_blank"
          rel="noreferrer"
          leftSection={<CodeIcon />}
        >
          API reference
        </Menu.Item>
        <Menu.Item leftSection={<ExitIcon />} onClick={signOut}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
