import { Button, Group, Stack, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { apiCall, apiGet } from '../api/call.ts'
import type { ListedKey } from '../api/types.ts'
import { KeyStateBadge, ShownOnce, type MadeKey } from '../keys/key-fields.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { ErrorAlert } from '../parts/feedback.tsx'
import { showInvisible } from '../parts/outside-text.ts'
import { SmallTable, type SmallColumn } from '../parts/small-table.tsx'
import { useNow } from '../parts/time.ts'
import { TableTime } from '../parts/times.tsx'
import { ChangeError } from './change-error.tsx'

/** The API keys that the person owns. */
export function MyKeys() {
  const now = useNow()
  const keys = useQuery({
    queryKey: ['my-keys'],
    queryFn: () => apiGet<{ readonly data: readonly ListedKey[] }>('/me/keys'),
  })
  const [accepted, setAccepted] = useState<ListedKey>()
  const columns: readonly SmallColumn<ListedKey>[] = [
    { title: 'Name', cell: ({ name }) => <span className="outside-text">{showInvisible(name)}</span> },
    { title: 'Role', cell: ({ role }) => role },
    {
      title: 'State',
      cell: (key) => <KeyStateBadge apiKey={key} now={now} />,
    },
    {
      title: 'Ends',
      cell: ({ expires_at: at }) => (at === null ? 'never' : <TableTime at={at} />),
    },
    {
      title: 'Secret',
      cell: (key) =>
        key.owner_accepted ? (
          'only yours'
        ) : (
          <Button
            size="compact-xs"
            variant="default"
            aria-label={`Accept key ${showInvisible(key.name)}`}
            onClick={() => setAccepted(key)}
          >
            Accept key
          </Button>
        ),
    },
  ]
  if (keys.isError) return <ErrorAlert error={keys.error} onRetry={() => void keys.refetch()} />
  const own = keys.data?.data ?? []
  return (
    <>
      <SmallTable
        title="API keys"
        count={own.length}
        columns={columns}
        rows={own}
        idOf={({ key_uuid: uuid }) => uuid}
        empty="No API keys"
      />
      {accepted !== undefined && <AcceptKey apiKey={accepted} onClose={() => setAccepted(undefined)} />}
    </>
  )
}

interface AcceptKeyProps {
  readonly apiKey: ListedKey
  readonly onClose: () => void
}

/** Replaces the secret of a key, so that only its owner knows it. */
function AcceptKey({ apiKey, onClose }: AcceptKeyProps) {
  const queries = useQueryClient()
  const accept = useMutation({
    mutationFn: () => apiCall<MadeKey>('POST', `/me/keys/${apiKey.key_id}/accept`),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['my-keys'] }),
  })
  const isDone = accept.isSuccess
  return (
    <Dialog
      opened
      onClose={onClose}
      title={`Accept key: ${showInvisible(apiKey.name)}`}
      closeOnClickOutside={!isDone}
      closeOnEscape={!isDone}
      withCloseButton={!isDone}
    >
      {isDone ? (
        <ShownOnce value={accept.data.key ?? ''} expiresAt={accept.data.expires_at} onDone={onClose} />
      ) : (
        <Stack>
          <Text size="sm">
            {apiKey.created_by === null ? 'Somebody else' : showInvisible(apiKey.created_by.name)} created
            this key and knows its secret. Until you accept it, approvals with the key also count as those of
            that person.
          </Text>
          <Text size="sm">
            The key gets a new secret, which only you see. The current secret stops working immediately, so
            programs that use it need the new one.
          </Text>
          {accept.isError && <ChangeError error={accept.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose} data-autofocus>
              Back
            </Button>
            <Button loading={accept.isPending} onClick={() => accept.mutate()}>
              Accept key
            </Button>
          </Group>
        </Stack>
      )}
    </Dialog>
  )
}
