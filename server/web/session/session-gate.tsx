import { Center, Loader } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState, type ReactNode } from 'react'
import { get, startSession, whenSignedOut } from '../api/call.ts'
import { problemOf } from '../api/problem.ts'
import type { Session } from '../api/types.ts'
import { allTyped } from '../forms/typed.ts'
import { Refusal } from '../parts/states/refusal.tsx'
import { showInvisible } from '../parts/json/show-invisible.ts'
import { isNotSession, SessionProvider, whenOtherPageSigns } from './session.ts'
import { SignInAgain } from './sign-in-again.tsx'
import { SignIn } from './sign-in.tsx'
import { SomebodyElse } from './somebody-else.tsx'

/**
 * Shows what is inside to whoever is signed in, and the sign-in to everybody else. Where the session ends meanwhile, what is
 * inside stays, under a dialog: what was typed is not lost. Where somebody else signs in, the page begins anew, after a look at what
 * was typed.
 */
export function SessionGate({ children }: { readonly children: ReactNode }) {
  const queries = useQueryClient()
  const session = useQuery({
    queryKey: ['session'],
    queryFn: whoIsIt,
    staleTime: Infinity,
    refetchOnWindowFocus: 'always',
  })
  const { data: now, refetch } = session
  const [first, setFirst] = useState<Session>()
  if (now && first === undefined) setFirst(now)
  const isSomebodyElse = Boolean(now && first && now.key_id !== first.key_id)
  useEffect(() => whenSignedOut(() => queries.setQueryData(['session'], null)), [queries])
  useEffect(
    () =>
      whenOtherPageSigns(() => {
        void refetch().then(() => queries.invalidateQueries({ predicate: isNotSession }))
      }),
    [queries, refetch],
  )
  const typed = isSomebodyElse ? allTyped() : []
  const beginsAnew = isSomebodyElse && typed.length === 0
  useEffect(() => {
    if (beginsAnew) location.reload()
  }, [beginsAnew])
  if (session.isPending || beginsAnew)
    return (
      <Center h="100vh">
        <Loader aria-label="Loading" />
      </Center>
    )
  if (now === undefined)
    return (
      <Center h="100vh" p="xl">
        <Refusal error={session.error} onRetry={() => void refetch()} />
      </Center>
    )
  const shown = now ?? first
  if (shown === undefined) return <SignIn />
  if (now && first && isSomebodyElse)
    return <SomebodyElse before={first.key_name} now={now.key_name} typed={typed} />
  return (
    <SessionProvider value={shown}>
      {children}
      {now === null && <SignInAgain name={showInvisible(shown.key_name)} />}
    </SessionProvider>
  )
}

/** Null: nobody. */
async function whoIsIt(): Promise<Session | null> {
  try {
    const session = await get<Session>('/session')
    // It may be over for this page, and another one has signed in again.
    startSession()
    return session
  } catch (error) {
    if (problemOf(error).status === 401) return null
    throw error
  }
}
