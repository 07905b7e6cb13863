import { Button, Group, PasswordInput, Stack, Table, Text, VisuallyHidden } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { apiCall, apiGet } from '../api/call.ts'
import type { ApiMe, ApiMySessions } from '../api/types.ts'
import { handleSubmit } from '../forms/form-state.ts'
import { ErrorAlert } from '../parts/feedback.tsx'
import { FieldGrid, PageLoading, Section } from '../parts/layout.tsx'
import { showInvisible } from '../parts/outside-text.ts'
import { StateBadge } from '../parts/states.tsx'
import { TableTime } from '../parts/times.tsx'
import { ViewTitle } from '../shell/view.tsx'
import { ChangeError } from './change-error.tsx'
import { MyKeys } from './my-keys.tsx'
import { OneTimeCodes } from './one-time-codes.tsx'
import { Passkeys } from './passkeys.tsx'

/** The account of the person: name and roles, the ways to sign in, and sessions. */
export default function MeView() {
  const me = useQuery({ queryKey: ['me'], queryFn: () => apiGet<ApiMe>('/me') })
  if (me.isPending) return <PageLoading />
  if (me.isError) return <ErrorAlert error={me.error} onRetry={() => void me.refetch()} />
  const { account, roles, sign_in: ways, name, key_id: keyId } = me.data
  const rolesText = roles
    .map(({ role, organization_codes: codes }) => `${role} of ${codes?.join(', ') ?? 'all organizations'}`)
    .join('; ')
  return (
    <Stack>
      <ViewTitle>{showInvisible(name)}</ViewTitle>
      <FieldGrid
        entries={[
          ['E-mail address', account?.email],
          ['API key', keyId],
          ['Roles', rolesText],
        ]}
      />
      {ways === null ? (
        <Text>
          You are signed in with an API key. Sign in with an account to manage passwords and sessions.
        </Text>
      ) : (
        <>
          <Password ways={ways} />
          <OneTimeCodes ways={ways} />
          <Passkeys ways={ways} />
          <MyKeys />
          <Sessions />
        </>
      )}
    </Stack>
  )
}

function Password({ ways }: { readonly ways: NonNullable<ApiMe['sign_in']> }) {
  const queries = useQueryClient()
  const [password, setPassword] = useState('')
  const change = useMutation({
    mutationFn: () => apiCall<ApiMe>('PUT', '/me/password', { body: { password } }),
    onSuccess(me) {
      setPassword('')
      queries.setQueryData(['me'], me)
      void queries.invalidateQueries({ queryKey: ['my-sessions'] })
    },
  })
  return (
    <Section title="Password">
      <form onSubmit={handleSubmit(() => change.mutate())}>
        <Stack maw={440}>
          <Text size="sm">
            {ways.password_changed_at === null
              ? 'You have no password.'
              : 'A change signs you out everywhere else.'}
          </Text>
          <PasswordInput
            label="New password"
            description="At least 12 characters."
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
            autoComplete="new-password"
          />
          {change.isError && <ChangeError error={change.error} />}
          {change.isSuccess && (
            <Text size="sm" role="status">
              Password changed
            </Text>
          )}
          <Group>
            <Button type="submit" size="xs" loading={change.isPending} disabled={password === ''}>
              Change password
            </Button>
          </Group>
        </Stack>
      </form>
    </Section>
  )
}

function Sessions() {
  const queries = useQueryClient()
  const sessions = useQuery({
    queryKey: ['my-sessions'],
    queryFn: () => apiGet<ApiMySessions>('/me/sessions'),
  })
  const end = useMutation({
    mutationFn: (uuid: string | undefined) =>
      apiCall<ApiMySessions>('DELETE', `/me/sessions${uuid === undefined ? '' : `/${uuid}`}`),
    onSuccess: (left) => queries.setQueryData(['my-sessions'], left),
  })
  const shown = sessions.data?.data ?? []
  return (
    <Section
      title="Sessions"
      count={shown.length}
      isFlush
      actions={
        shown.length > 1 && (
          <Button size="xs" variant="default" loading={end.isPending} onClick={() => end.mutate(undefined)}>
            Sign out elsewhere
          </Button>
        )
      }
    >
      {sessions.isError && <ErrorAlert error={sessions.error} />}
      {end.isError && <ErrorAlert error={end.error} />}
      <Table.ScrollContainer minWidth={480}>
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Browser</Table.Th>
              <Table.Th>Signed in</Table.Th>
              <Table.Th>Last used</Table.Th>
              <Table.Th>
                <VisuallyHidden>Actions</VisuallyHidden>
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {shown.map((each) => (
              <Table.Tr key={each.session_uuid}>
                <Table.Td className="outside-text">{showInvisible(each.client) || 'unknown'}</Table.Td>
                <Table.Td>
                  <TableTime at={each.started_at} />
                </Table.Td>
                <Table.Td>
                  <TableTime at={each.last_used_at} />
                </Table.Td>
                <Table.Td>
                  {each.is_current ? (
                    <StateBadge text="This one" color="blue" />
                  ) : (
                    <Button size="compact-xs" variant="subtle" onClick={() => end.mutate(each.session_uuid)}>
                      Sign out
                    </Button>
                  )}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Section>
  )
}
