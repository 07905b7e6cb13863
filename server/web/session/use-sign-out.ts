import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import { takeSession } from './session.ts'

/** Ends the session, here in any case. */
export function useSignOut(): () => void {
  const queries = useQueryClient()
  const signOut = useMutation({
    mutationFn: () => call('DELETE', '/session'),
    onSettled: () => takeSession(queries, null),
  })
  return () => signOut.mutate()
}
