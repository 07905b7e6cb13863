import { Button, Group, Alert, Text } from '@mantine/core'
import { LockClosedIcon } from '@radix-ui/react-icons'
import { useState } from 'react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { ListView } from '../lists/list-page.tsx'
import { breakable } from '../parts/text-view.tsx'
import { useNow, serverTime } from '../parts/time.ts'
import { showInvisible } from '../parts/outside-text.ts'
import { StateBadge } from '../parts/states.tsx'
import { TableTime } from '../parts/times.tsx'
import { useSession } from '../session/session.ts'
import { keyState, isLastAdmin } from './key.ts'
import { NewKey } from './new-key.tsx'
import type { Column } from '../lists/data-row.tsx'
import { apiCall, apiGet } from '../api/call.ts'
import type { ApiPage, ListedKey } from '../api/types.ts'
import { ConfirmDialog } from '../parts/feedback.tsx'

const idOf = (key: ListedKey): string => key.key_uuid

/** API keys that the session may see. */
export default function KeysView() {
  const now = useNow()
  const [revoked, setRevoked] = useState<ListedKey>()
  const { key_id: own } = useSession()
  const columns: readonly Column<ListedKey>[] = [
    {
      title: 'NAME',
      width: 'minmax(150px, 2fr)',
      cell: ({ name, key_id: id }) => (
        <Group gap={6} wrap="nowrap" title={showInvisible(name)}>
          <span className="data-table-text">{breakable(showInvisible(name))}</span>
          {id === own && <StateBadge text="Yours" color="blue" />}
        </Group>
      ),
    },
    { title: 'ID', width: '104px', isExtra: true, cell: ({ key_id: id }) => <code>{id}</code> },
    { title: 'ROLE', width: '70px', cell: ({ role }) => role },
    {
      title: 'ORGS',
      width: 'minmax(66px, 1fr)',
      cell: ({ organization_codes: codes }) => codes?.join(', ') ?? 'all',
    },
    {
      title: 'STATE',
      width: '84px',
      cell(key) {
        const state = keyState(key, now)
        return <StateBadge text={state} color={state === 'Active' ? 'green' : 'gray'} />
      },
    },
    { title: 'CREATED', width: '104px', isExtra: true, cell: (key) => <TableTime at={key.created_at} /> },
    {
      title: 'CREATED BY',
      width: 'minmax(76px, 1fr)',
      isExtra: true,
      cell: ({ created_by: by }) => by && showInvisible(by.name),
    },
    {
      title: 'EXPIRES',
      width: '94px',
      cell: (key) => (key.expires_at === null ? 'never' : <TableTime at={key.expires_at} />),
    },
    {
      title: 'LAST USED',
      width: '94px',
      cell: (key) => (key.last_used_at === null ? 'never' : <TableTime at={key.last_used_at} />),
    },
    {
      title: '',
      width: '76px',
      cell: (key) =>
        key.revoked_at === null && (
          <Button size="compact-xs" variant="subtle" color="red" onClick={() => setRevoked(key)}>
            Revoke
          </Button>
        ),
    },
  ]
  return (
    <>
      <ListView
        title="Keys"
        path="/keys"
        columns={columns}
        idOf={idOf}
        actions={<NewKey />}
        icon={LockClosedIcon}
        empty="No keys"
      />
      <RevokeKey apiKey={revoked} onClose={() => setRevoked(undefined)} />
    </>
  )
}

interface RevokeKeyProps {
  readonly apiKey: ListedKey | undefined
  readonly onClose: () => void
}

/** Confirms the revocation of a key. */
function RevokeKey({ apiKey, onClose }: RevokeKeyProps) {
  const queries = useQueryClient()
  const { key_id: own } = useSession()
  const admins = useQuery({
    queryKey: ['admins', apiKey?.key_id],
    queryFn: () => apiGet<ApiPage<ListedKey>>('/keys', { role: 'admin', state: 'usable', limit: 200 }),
    enabled: apiKey?.role === 'admin',
    staleTime: 0,
  })
  const isLast = apiKey !== undefined && isLastAdmin(apiKey, admins.data?.data ?? [], serverTime())
  const revoke = useMutation({
    mutationFn: (id: string) => apiCall('DELETE', `/keys/${id}`),
    onSuccess() {
      void queries.resetQueries({ queryKey: ['list', '/keys'] })
      onClose()
    },
  })
  const close = (): void => {
    revoke.reset()
    onClose()
  }
  return (
    <ConfirmDialog
      opened={apiKey !== undefined}
      title="Revoke key"
      action="Revoke"
      color="red"
      isPending={revoke.isPending || admins.isLoading}
      isDisabled={isLast}
      error={revoke.error}
      onClose={close}
      onConfirm={() => apiKey && revoke.mutate(apiKey.key_id)}
    >
      <Text size="sm">
        Requests with the key “{showInvisible(apiKey?.name ?? '')}” will be refused immediately. You cannot
        undo this.
      </Text>
      {isLast && admins.isSuccess && (
        <Alert color="orange" title="This is the last active administrator key">
          <Text size="sm">
            Without it, no one could create keys. First create another administrator key for all organizations
            that stays valid for at least a week.
          </Text>
        </Alert>
      )}
      {apiKey?.key_id === own && !isLast && !revoke.isError && (
        <Alert color="orange" title="You are signed in with this key">
          <Text size="sm">You will be signed out immediately and need another key to sign in.</Text>
        </Alert>
      )}
    </ConfirmDialog>
  )
}
