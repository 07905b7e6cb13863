import type { QueryClient } from '@tanstack/react-query'
import { createContext, useContext } from 'react'
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

/** Takes over who is signed in now; what somebody else saw is forgotten. */
export function takeSession(queries: QueryClient, session: Session | null): void {
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' })
  queries.setQueryData(['session'], session)
}
