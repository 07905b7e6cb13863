import { Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { apiCall } from '../api/call.ts'
import type { ApiSession } from '../api/types.ts'
import { handleSubmit } from '../forms/form-state.ts'
import { ErrorAlert } from '../parts/feedback.tsx'
import { PageLoading } from '../parts/layout.tsx'
import { showInvisible } from '../parts/outside-text.ts'
import { leave } from './session.ts'
import { Brand, SignInCard } from './sign-in.tsx'

interface Preview {
  /** Null: the link creates the account of the first administrator. */
  readonly email: string | null
  readonly name: string | null
}

/** Sets the password of the person whom a link invites. The token is in the fragment of the address. */
export default function AcceptInvitation() {
  const [token] = useState(() => location.hash.slice(1))
  const preview = useQuery({
    queryKey: ['invitation', token],
    queryFn: () => apiCall<Preview>('POST', '/invitation/preview', { body: { token } }),
    staleTime: Infinity,
    retry: false,
  })
  return (
    <SignInCard>
      <Stack>
        <Brand />
        {preview.isPending && <PageLoading />}
        {preview.isError && (
          <>
            <ErrorAlert error={preview.error} />
            <Button variant="default" onClick={leave}>
              Go to the sign-in
            </Button>
          </>
        )}
        {preview.isSuccess && <PasswordForm token={token} person={preview.data} />}
      </Stack>
    </SignInCard>
  )
}

function PasswordForm({ token, person }: { readonly token: string; readonly person: Preview }) {
  const [email, setEmail] = useState('')
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const [again, setAgain] = useState('')
  const isFirst = person.email === null
  const accept = useMutation({
    mutationFn: () =>
      apiCall<ApiSession>('POST', '/invitation/accept', {
        body: { token, password, ...(isFirst && { email: email.trim(), name: name.trim() }) },
      }),
    onSuccess: leave,
  })
  const differs = again !== '' && again !== password
  const isIncomplete = password === '' || again !== password || (isFirst && (email === '' || name === ''))
  return (
    <form onSubmit={handleSubmit(() => accept.mutate())}>
      <Stack>
        <Text>
          {isFirst
            ? 'Create your account as the first administrator.'
            : `Welcome, ${showInvisible(person.name ?? '')}. Choose a password for your account.`}
        </Text>
        {isFirst && (
          <TextInput
            label="Name"
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            autoComplete="name"
            required
          />
        )}
        <TextInput
          label="E-mail address"
          type="email"
          value={person.email ?? email}
          readOnly={!isFirst}
          onChange={(event) => setEmail(event.currentTarget.value)}
          autoComplete="username"
          required={isFirst}
        />
        <PasswordInput
          label="Password"
          description="At least 12 characters. Several words are easy to remember and hard to guess."
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          autoComplete="new-password"
          required
        />
        <PasswordInput
          label="Password again"
          value={again}
          onChange={(event) => setAgain(event.currentTarget.value)}
          error={differs && 'The passwords differ'}
          autoComplete="new-password"
          required
        />
        {accept.isError && <ErrorAlert error={accept.error} />}
        <Button type="submit" loading={accept.isPending} disabled={isIncomplete}>
          {isFirst ? 'Create account' : 'Set password and sign in'}
        </Button>
      </Stack>
    </form>
  )
}
