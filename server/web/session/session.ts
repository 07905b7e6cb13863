import type { QueryClient } from '@tanstack/react-query'
import { createContext, useContext } from 'react'
import { startSession } from '../api/call.ts'
import type { Role, Session } from '../api/types.ts'

const SessionContext = createContext<Session | undefined>(undefined)

export const SessionProvider = SessionContext.Provider

/** Who is signed in. Only below the session gate. */
export function useSession(): Session {
  const session = useContext(SessionContext)
  if (session === undefined) throw new Error('no session: not below the session gate')
  return session
}

/** Whether who is signed in may do what the API lets these roles do; buttons that would be refused are not shown. */
export function useMay(...roles: readonly Role[]): boolean {
  return roles.includes(useSession().role)
}

/** Whether who is signed in administrates what all organizations share. */
export function useMayForAll(): boolean {
  const { role, organization_codes: codes } = useSession()
  return role === 'admin' && codes === null
}

/** Other pages of this browser are told that somebody signed in or out: they have one session between them. */
const channel = new BroadcastChannel('tocsin-session')

function tellOtherPages(): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a BroadcastChannel has none: it is of one origin
  channel.postMessage('changed')
}

/** Calls back when another page of this browser signs in or out. Gives what ends that. */
export function whenOtherPageSigns(listener: () => void): () => void {
  channel.addEventListener('message', listener)
  return () => channel.removeEventListener('message', listener)
}

/** What is asked for in a session. */
export const isNotSession = ({ queryKey }: { readonly queryKey: readonly unknown[] }): boolean =>
  queryKey[0] !== 'session'

/** Takes over who is signed in now. */
export function takeSession(queries: QueryClient, session: Session): void {
  startSession()
  queries.setQueryData(['session'], session)
  void queries.invalidateQueries({ predicate: isNotSession })
  tellOtherPages()
}

/** Forgets all that was seen and typed: the page begins anew. */
export function leave(): void {
  tellOtherPages()
  location.assign('/')
}
