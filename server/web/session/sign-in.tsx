import { Button, Center, Code, Group, Paper, PasswordInput, Stack, Text, Title } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/call.ts'
import type { Session } from '../api/types.ts'
import { Refusal } from '../parts/refusal.tsx'
import { Logo } from '../shell/logo.tsx'
import { takeSession } from './session.ts'

export function SignIn() {
  const queries = useQueryClient()
  const [key, setKey] = useState('')
  const signIn = useMutation({
    mutationFn: (value: string) => call<Session>('POST', '/session', { body: { api_key: value } }),
    onSuccess: (session) => takeSession(queries, session),
  })
  return (
    <Center mih="100vh" p="md" component="main">
      <Paper withBorder shadow="sm" p="xl" w={440} maw="100%">
        <form
          onSubmit={(event) => {
            event.preventDefault()
            signIn.mutate(key.trim())
          }}
        >
          <Stack>
            <Group gap="sm">
              <Logo size={36} />
              <Title order={1} size="h2">
                Tocsin
              </Title>
            </Group>
            <PasswordInput
              label="API key"
              description="The key that was shown at the first start, or one that an administrator made for you."
              placeholder="toc_…"
              value={key}
              onChange={(event) => setKey(event.currentTarget.value)}
              autoComplete="current-password"
              autoFocus
              required
            />
            {signIn.isError && <Refusal error={signIn.error} />}
            <Button type="submit" loading={signIn.isPending} disabled={key.trim() === ''}>
              Sign in
            </Button>
            <Text size="sm" c="dimmed">
              No key at hand? On the server: <Code>npx tocsin keys create</Code>
            </Text>
          </Stack>
        </form>
      </Paper>
    </Center>
  )
}
