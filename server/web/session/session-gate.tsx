import { Center, Loader } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, type ReactNode } from 'react'
import { get, whenSignedOut } from '../api/call.ts'
import { problemOf } from '../api/problem.ts'
import type { Session } from '../api/types.ts'
import { Refusal } from '../parts/refusal.tsx'
import { SessionProvider, takeSession } from './session.ts'
import { SignIn } from './sign-in.tsx'

/** Shows what is inside to whoever is signed in, and the sign-in to everybody else. */
export function SessionGate({ children }: { readonly children: ReactNode }) {
  const queries = useQueryClient()
  const session = useQuery({
    queryKey: ['session'],
    queryFn: () => get<Session>('/session').catch(nobody),
    staleTime: Infinity,
  })
  useEffect(() => {
    whenSignedOut(() => {
      if (queries.getQueryData(['session']) !== null) takeSession(queries, null)
    })
  }, [queries])
  if (session.isPending)
    return (
      <Center h="100vh">
        <Loader aria-label="Loading" />
      </Center>
    )
  if (session.isError)
    return (
      <Center h="100vh" p="xl">
        <Refusal error={session.error} onRetry={() => void session.refetch()} />
      </Center>
    )
  if (session.data === null) return <SignIn />
  return <SessionProvider value={session.data}>{children}</SessionProvider>
}

function nobody(error: unknown): null {
  if (problemOf(error).status === 401) return null
  throw error
}
