import { useMutation } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import { leave } from './session.ts'

/** Ends the session, here in any case. */
export function useSignOut(): () => void {
  const signOut = useMutation({ mutationFn: () => call('DELETE', '/session'), onSettled: leave })
  return () => signOut.mutate()
}
