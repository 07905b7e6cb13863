import {
  Button,
  Center,
  Code,
  Divider,
  Group,
  Paper,
  PasswordInput,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { apiCall } from '../api/call.ts'
import { apiProblem } from '../api/problem.ts'
import type { ApiSession } from '../api/types.ts'
import { forgetUnsavedInput, handleSubmit } from '../forms/form-state.ts'
import { Dialog } from '../parts/dialog.tsx'
import { ErrorAlert } from '../parts/feedback.tsx'
import { Logo } from '../shell/logo.tsx'
import { SingleSignOnButton, useSignInMethods } from './single-sign-on.tsx'
import { leave, startSessionOf } from './session.ts'

export default function SignIn() {
  return (
    <SignInCard>
      <SignInForm inNewTab={false}>
        <Brand />
      </SignInForm>
    </SignInCard>
  )
}

/** The frame of pages without a session. */
export const SignInCard = ({ children }: { readonly children: ReactNode }) => (
  <Center mih="100vh" p="md" component="main">
    <Paper withBorder shadow="sm" p="xl" w={440} maw="100%">
      {children}
    </Paper>
  </Center>
)

export const Brand = () => (
  <Group gap="sm">
    <Logo size={36} />
    <Title order={1}>Tocsin</Title>
  </Group>
)

function leaveUnasked(): void {
  forgetUnsavedInput()
  leave()
}

/** Signs in again after the end of a session, without losing input. */
export function SignInAgain({
  session,
}: {
  readonly session: Pick<ApiSession, 'key_name' | 'account_uuid'>
}) {
  const isPerson = session.account_uuid !== null
  return (
    <Dialog
      opened
      onClose={() => undefined}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      title="Your session has ended"
      zIndex={1000}
    >
      <SignInForm way={isPerson ? 'account' : 'key'} inNewTab>
        <Text size="sm">
          Sign in {isPerson ? 'as' : 'with the key'} <b>{session.key_name}</b> to continue where you were.
          Otherwise, the page reloads.
        </Text>
      </SignInForm>
      <Button mt="md" variant="subtle" size="compact-sm" onClick={leaveUnasked}>
        Leave and discard unsaved changes
      </Button>
    </Dialog>
  )
}

type Way = 'account' | 'key'

/** The last way to sign in of this browser. */
const remembered = 'tocsin-sign-in'

interface SignInFormProps {
  /** Default: the last one of this browser. */
  readonly way?: Way
  /** Whether single sign-on opens a new tab. */
  readonly inNewTab: boolean
  readonly children: ReactNode
}

/** Starts a session of a person, or with an API key. */
function SignInForm({ way: given, inNewTab, children }: SignInFormProps) {
  const methods = useSignInMethods()
  const label = methods?.single_sign_on?.label
  const isBreakGlass = methods?.local === 'break_glass'
  const [way, setWay] = useState<Way>(
    given ?? (localStorage.getItem(remembered) === 'key' ? 'key' : 'account'),
  )
  const other = way === 'key' ? 'account' : 'key'
  const turn = (): void => {
    localStorage.setItem(remembered, other)
    setWay(other)
  }
  return (
    <Stack>
      {children}
      {label !== undefined && (
        <>
          <SingleSignOnButton label={label} inNewTab={inNewTab} />
          <Divider
            label={isBreakGlass ? 'or, in an emergency, with an admin key for all organizations' : 'or'}
          />
        </>
      )}
      {isBreakGlass || way === 'key' ? <KeyForm /> : <PasswordForm />}
      {methods?.passkeys === true && way === 'account' && <PasskeyButton />}
      {!isBreakGlass && (
        <Button variant="subtle" size="compact-sm" onClick={turn} style={{ alignSelf: 'flex-start' }}>
          {way === 'key' ? 'Use an account' : 'Use an API key'}
        </Button>
      )}
    </Stack>
  )
}

function useSignIn<Body extends object>() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (body: Body) => apiCall<ApiSession>('POST', '/session', { body }),
    onSuccess: (session) => startSessionOf(queries, session),
  })
}

function PasswordForm() {
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const signIn = useSignIn<{ email: string; password: string; code?: string }>()
  const problem = signIn.isError ? apiProblem(signIn.error).code : undefined
  const [needsCode, setNeedsCode] = useState(false)
  if (!needsCode && problem === 'code_needed') setNeedsCode(true)
  const submit = (): void =>
    signIn.mutate({ email: email.trim(), password, ...(needsCode && code !== '' && { code }) })
  return (
    <form onSubmit={handleSubmit(submit)}>
      <Stack>
        <TextInput
          label="E-mail address"
          type="email"
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
          autoComplete="username"
          autoFocus
          data-autofocus
          required
        />
        <PasswordInput
          label="Password"
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          autoComplete="current-password"
          required
        />
        {needsCode && (
          <TextInput
            label="One-time code"
            description="The code of your authenticator app, or a recovery code."
            value={code}
            onChange={(event) => setCode(event.currentTarget.value)}
            autoComplete="one-time-code"
            autoFocus
            required
          />
        )}
        {signIn.isError && problem !== 'code_needed' && <ErrorAlert error={signIn.error} />}
        <Button type="submit" loading={signIn.isPending} disabled={email.trim() === '' || password === ''}>
          Sign in
        </Button>
        <Text size="sm" c="dimmed">
          No account? Ask an administrator for an invitation.
        </Text>
      </Stack>
    </form>
  )
}

/** Its library is loaded on the first click. */
function PasskeyButton() {
  const queries = useQueryClient()
  const signIn = useMutation({
    mutationFn: async () => (await import('./browser-passkeys.ts')).signInWithPasskey(),
    onSuccess: (session) => startSessionOf(queries, session),
  })
  return (
    <Stack gap="xs">
      {signIn.isError && <ErrorAlert error={signIn.error} />}
      <Button variant="default" loading={signIn.isPending} onClick={() => signIn.mutate()}>
        Sign in with a passkey
      </Button>
    </Stack>
  )
}

function KeyForm() {
  const [key, setKey] = useState('')
  const signIn = useSignIn<{ api_key: string }>()
  return (
    <form onSubmit={handleSubmit(() => signIn.mutate({ api_key: key.trim() }))}>
      <Stack>
        <PasswordInput
          label="API key"
          description="The key from the first start of the server, or one from your administrator."
          placeholder="toc_…"
          value={key}
          onChange={(event) => setKey(event.currentTarget.value)}
          autoComplete="off"
          autoFocus
          data-autofocus
          required
        />
        {signIn.isError && <ErrorAlert error={signIn.error} />}
        <Button type="submit" loading={signIn.isPending} disabled={key.trim() === ''}>
          Sign in
        </Button>
        <Text size="sm" c="dimmed">
          No key? Create one on the server:{' '}
          <Code style={{ whiteSpace: 'nowrap' }}>npx tocsin keys create</Code>
        </Text>
      </Stack>
    </form>
  )
}
