import { type QueryClient, useMutation } from '@tanstack/react-query'
import { createContext, useContext } from 'react'
import { startSession, apiCall } from '../api/call.ts'
import type { AccessPermission } from '../../../core/access/permissions.ts'
import type { ApiSession } from '../api/types.ts'

const SessionContext = createContext<ApiSession | undefined>(undefined)

export const SessionProvider = SessionContext.Provider

/** The session. Only below the session gate. */
export function useSession(): ApiSession {
  const session = useContext(SessionContext)
  if (session === undefined) throw new Error('no session: not below the session gate')
  return session
}

/** Whether the session has a permission in some organization. Hides buttons that the API would refuse. */
export function useMay(permission: AccessPermission): boolean {
  return has(useSession(), permission)
}

/** Whether the session has a permission in all organizations. */
export function useMayForAll(permission: AccessPermission): boolean {
  return useSession().permissions.some(
    (each) => each.permission === permission && each.organization_codes === null,
  )
}

/** Whether the session has a permission for what belongs to an organization; null: for what all organizations share. */
export const mayFor = (
  { permissions }: Pick<ApiSession, 'permissions'>,
  permission: AccessPermission,
  organization: string | null,
): boolean =>
  permissions.some(
    ({ permission: held, organization_codes: codes }) =>
      held === permission &&
      (codes === null || codes.some((code) => code.toLowerCase() === organization?.toLowerCase())),
  )

export const has = (
  { permissions }: Pick<ApiSession, 'permissions'>,
  permission: AccessPermission,
): boolean => permissions.some((each) => each.permission === permission)

/** Tells other tabs about sign-ins and sign-outs, because they share the session. */
const channel = new BroadcastChannel('tocsin-session')

/** Tells other tabs that the session has changed. */
export function tellOtherPages(): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a BroadcastChannel has none: it is of one origin
  channel.postMessage('changed')
}

/** Calls back on a sign-in or sign-out in another tab. Returns a function that stops it. */
export function onOtherTabSession(listener: () => void): () => void {
  channel.addEventListener('message', listener)
  return () => channel.removeEventListener('message', listener)
}

/** Queries that need a session. */
export const isNotSession = ({ queryKey }: { readonly queryKey: readonly unknown[] }): boolean =>
  queryKey[0] !== 'session'

/** Starts using a new session. */
export function startSessionOf(queries: QueryClient, session: ApiSession): void {
  startSession()
  queries.setQueryData(['session'], session)
  void queries.invalidateQueries({ predicate: isNotSession })
  tellOtherPages()
}

/** Leaves the session by reloading the page. */
export const leave = (): void => leaveFor('/')

function leaveFor(address: string): void {
  tellOtherPages()
  location.assign(address)
}

interface SignedOut {
  /** Where the browser also signs out of the identity provider. */
  readonly sign_out_url: string | null
}

/** Signs out, even if the request fails. */
export function useSignOut(): () => void {
  const signOut = useMutation({
    mutationFn: () => apiCall<SignedOut>('DELETE', '/session'),
    onSettled: (answer) => leaveFor(answer?.sign_out_url ?? '/'),
  })
  return () => signOut.mutate()
}
