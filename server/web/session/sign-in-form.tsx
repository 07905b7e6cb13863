import { Button, Code, PasswordInput, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { call } from '../api/call.ts'
import type { Session } from '../api/types.ts'
import { Refusal } from '../parts/states/refusal.tsx'
import { takeSession } from './session.ts'

/** Asks for a key and makes a session of it. */
export function SignInForm({ children }: { readonly children: ReactNode }) {
  const queries = useQueryClient()
  const [key, setKey] = useState('')
  const signIn = useMutation({
    mutationFn: (value: string) => call<Session>('POST', '/session', { body: { api_key: value } }),
    onSuccess: (session) => takeSession(queries, session),
  })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        signIn.mutate(key.trim())
      }}
    >
      <Stack>
        {children}
        <PasswordInput
          label="API key"
          description="The key that was shown at the first start, or one that an administrator made for you."
          placeholder="toc_…"
          value={key}
          onChange={(event) => setKey(event.currentTarget.value)}
          autoComplete="current-password"
          autoFocus
          data-autofocus
          required
        />
        {signIn.isError && <Refusal error={signIn.error} />}
        <Button type="submit" loading={signIn.isPending} disabled={key.trim() === ''}>
          Sign in
        </Button>
        <Text size="sm" c="dimmed">
          No key at hand? On the server: <Code style={{ whiteSpace: 'nowrap' }}>npx tocsin keys create</Code>
        </Text>
      </Stack>
    </form>
  )
}
