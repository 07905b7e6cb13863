import { Center, Loader, Button, Paper, Stack, Text, Title } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useEffect, useState, type ReactNode } from 'react'
import { apiGet, startSession, whenSignedOut } from '../api/call.ts'
import { apiProblem } from '../api/problem.ts'
import type { ApiSession } from '../api/types.ts'
import { allUnsavedInput, forgetUnsavedInput, type UnsavedInput } from '../forms/form-state.ts'
import { ErrorAlert } from '../parts/feedback.tsx'
import { showInvisible } from '../parts/outside-text.ts'
import { isNotSession, SessionProvider, onOtherTabSession } from './session.ts'
import { Command } from '../parts/text-view.tsx'

const SignIn = lazy(() => import('./sign-in.tsx'))
const SignInAgain = lazy(() =>
  import('./sign-in.tsx').then(({ SignInAgain: dialog }) => ({ default: dialog })),
)

/**
 * Shows the sign-in, or the content for a session. When the session ends, a dialog covers the content, so
 * that no input is lost. When another key signs in, the page reloads after showing unsaved input.
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
  const [first, setFirst] = useState<ApiSession>()
  if (now && first === undefined) setFirst(now)
  const isSomebodyElse = Boolean(now && first && now.key_id !== first.key_id)
  useEffect(() => whenSignedOut(() => queries.setQueryData(['session'], null)), [queries])
  useEffect(
    () =>
      onOtherTabSession(() => {
        void refetch().then(() => queries.invalidateQueries({ predicate: isNotSession }))
      }),
    [queries, refetch],
  )
  const typed = isSomebodyElse ? allUnsavedInput() : []
  const beginsAnew = isSomebodyElse && typed.length === 0
  useEffect(() => {
    if (beginsAnew) location.reload()
  }, [beginsAnew])
  if (session.isPending || beginsAnew) return <Loading />
  if (now === undefined)
    return (
      <Center h="100vh" p="xl">
        <ErrorAlert error={session.error} onRetry={() => void refetch()} />
      </Center>
    )
  const shown = now ?? first
  if (shown === undefined)
    return (
      <Suspense fallback={<Loading />}>
        <SignIn />
      </Suspense>
    )
  if (now && first && isSomebodyElse)
    return <SomebodyElse before={first.key_name} now={now.key_name} typed={typed} />
  return (
    <SessionProvider value={shown}>
      {children}
      {now === null && (
        <Suspense fallback={null}>
          <SignInAgain session={{ ...shown, key_name: showInvisible(shown.key_name) }} />
        </Suspense>
      )}
    </SessionProvider>
  )
}

const Loading = () => (
  <Center h="100vh">
    <Loader role="img" aria-label="Loading" />
  </Center>
)

/** Null without a session. */
async function whoIsIt(): Promise<ApiSession | null> {
  try {
    const session = await apiGet<ApiSession>('/session')
    // Another tab may have signed in again.
    startSession()
    return session
  } catch (error) {
    if (apiProblem(error).status === 401) return null
    throw error
  }
}

interface SomebodyElseProps {
  /** Names of the keys. */
  readonly before: string
  readonly now: string
  readonly typed: readonly UnsavedInput[]
}

/** Shows unsaved input before the page reloads for another key. */
function SomebodyElse({ before, now, typed }: SomebodyElseProps) {
  return (
    <Center mih="100vh" p="md" component="main">
      <Paper withBorder shadow="sm" p="xl" w={640} maw="100%">
        <Stack>
          <Title order={1}>You are now signed in as {showInvisible(now)}</Title>
          <Text size="sm">
            Another tab of this browser signed in with another key. Your input with the key{' '}
            <b>{showInvisible(before)}</b> was not sent. Copy what you need, or sign in with that key in
            another tab to continue.
          </Text>
          {typed.map(({ place, text }) => (
            <Stack key={place} gap={4}>
              <Text size="sm" fw={600} className="outside-text">
                {place}
              </Text>
              <Command text={text} label={place} />
            </Stack>
          ))}
          <Button
            onClick={() => {
              forgetUnsavedInput()
              location.reload()
            }}
          >
            Continue as {showInvisible(now)} and discard it
          </Button>
        </Stack>
      </Paper>
    </Center>
  )
}
