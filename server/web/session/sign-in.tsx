import { Center, Group, Paper, Title, Button, Modal, Text, Code, PasswordInput, Stack } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { Logo } from '../shell/logo.tsx'
import { forgetUnsavedInput, handleSubmit } from '../forms/form-state.ts'
import { leave, startSessionOf } from './session.ts'
import { apiCall } from '../api/call.ts'
import type { ApiSession } from '../api/types.ts'
import { ErrorAlert } from '../parts/feedback.tsx'

export function SignIn() {
  return (
    <Center mih="100vh" p="md" component="main">
      <Paper withBorder shadow="sm" p="xl" w={440} maw="100%">
        <SignInForm>
          <Group gap="sm">
            <Logo size={36} />
            <Title order={1}>Tocsin</Title>
          </Group>
        </SignInForm>
      </Paper>
    </Center>
  )
}

function leaveUnasked(): void {
  forgetUnsavedInput()
  leave()
}

/** Signs in again after the end of a session, without losing input. */
export function SignInAgain({ name }: { readonly name: string }) {
  return (
    <Modal
      opened
      onClose={() => undefined}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      title="Your session has ended"
      zIndex={1000}
    >
      <SignInForm>
        <Text size="sm">
          Sign in with the key <b>{name}</b> to continue where you were. With another key, the page reloads.
        </Text>
      </SignInForm>
      <Button mt="md" variant="subtle" size="compact-sm" onClick={leaveUnasked}>
        Leave and discard unsaved changes
      </Button>
    </Modal>
  )
}

/** Starts a session with an API key. */
function SignInForm({ children }: { readonly children: ReactNode }) {
  const queries = useQueryClient()
  const [key, setKey] = useState('')
  const signIn = useMutation({
    mutationFn: (value: string) => apiCall<ApiSession>('POST', '/session', { body: { api_key: value } }),
    onSuccess: (session) => startSessionOf(queries, session),
  })
  return (
    <form onSubmit={handleSubmit(() => signIn.mutate(key.trim()))}>
      <Stack>
        {children}
        <PasswordInput
          label="API key"
          description="The key from the first start of the server, or one from your administrator."
          placeholder="toc_…"
          value={key}
          onChange={(event) => setKey(event.currentTarget.value)}
          autoComplete="current-password"
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
