import { Alert, Button, Select, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { apiCall } from '../api/call.ts'
import type { ListedKey } from '../api/types.ts'
import { handleSubmit } from '../forms/form-state.ts'
import { Dialog } from '../parts/dialog.tsx'
import { ErrorAlert } from '../parts/feedback.tsx'
import { showInvisible } from '../parts/outside-text.ts'
import { useSession } from '../session/session.ts'
import { AddressesField, EndField, endOf, OwnerField, ShownOnce, type MadeKey } from './key-fields.tsx'

interface EditKeyProps {
  readonly apiKey: ListedKey
  readonly onClose: () => void
}

const overlaps = [
  { value: '0', label: 'Immediately' },
  { value: '60', label: 'After an hour' },
  { value: '1440', label: 'After a day' },
  { value: '10080', label: 'After a week' },
]

/** Replaces the secret of a key, and shows the new value once. */
export function RotateKey({ apiKey, onClose }: EditKeyProps) {
  const queries = useQueryClient()
  const { key_id: own } = useSession()
  const [overlap, setOverlap] = useState('0')
  const [end, setEnd] = useState('')
  const rotate = useMutation({
    mutationFn: () =>
      apiCall<MadeKey>('POST', `/keys/${apiKey.key_id}/rotate`, {
        body: { overlap_minutes: Number(overlap), ...endOf(end) },
      }),
    onSuccess: () => queries.resetQueries({ queryKey: ['list', '/keys'] }),
  })
  return (
    <Dialog
      opened
      onClose={onClose}
      title={`Rotate key: ${showInvisible(apiKey.name)}`}
      closeOnClickOutside={!rotate.isSuccess}
      closeOnEscape={!rotate.isSuccess}
      withCloseButton={!rotate.isSuccess}
    >
      {rotate.isSuccess ? (
        <ShownOnce value={rotate.data.key ?? ''} expiresAt={rotate.data.expires_at} onDone={onClose} />
      ) : (
        <form onSubmit={handleSubmit(() => rotate.mutate())}>
          <Stack>
            <Text size="sm">The key gets a new secret. Its role, organizations and owner stay.</Text>
            <Select
              label="The current secret ends"
              data={overlaps}
              value={overlap}
              onChange={(next) => setOverlap(next ?? '0')}
              allowDeselect={false}
              data-autofocus
            />
            {apiKey.expires_at !== null && (
              <EndField label="The key ends" unset="As before" value={end} onChange={setEnd} />
            )}
            {apiKey.key_id === own && (
              <Alert color="orange" title="You are signed in with this key">
                <Text size="sm">
                  {overlap === '0'
                    ? 'Your session ends with the current secret. Sign in with the new one.'
                    : 'Your session stays until the current secret ends. Sign in with the new one before.'}
                </Text>
              </Alert>
            )}
            {rotate.isError && <ErrorAlert error={rotate.error} />}
            <Button type="submit" loading={rotate.isPending}>
              Rotate key
            </Button>
          </Stack>
        </form>
      )}
    </Dialog>
  )
}

/** Changes the owner and the addresses of a key. */
export function ChangeKey({ apiKey, onClose }: EditKeyProps) {
  const queries = useQueryClient()
  const { owner: before, owner_name: name, allowed_addresses: ranges } = apiKey
  const [owner, setOwner] = useState(before ?? '')
  const [addresses, setAddresses] = useState([...(ranges ?? [])])
  const save = useMutation({
    mutationFn: () =>
      apiCall('PATCH', `/keys/${apiKey.key_id}`, {
        body: {
          ...(owner !== (before ?? '') && { owner: owner === '' ? null : owner }),
          allowed_addresses: addresses.length > 0 ? addresses : null,
        },
        headers: { 'if-match': `"${apiKey.revision}"` },
      }),
    onSuccess() {
      void queries.resetQueries({ queryKey: ['list', '/keys'] })
      onClose()
    },
  })
  return (
    <Dialog opened onClose={onClose} title={`Change key: ${showInvisible(apiKey.name)}`}>
      <form onSubmit={handleSubmit(() => save.mutate())}>
        <Stack>
          <OwnerField
            unset="Nobody"
            value={owner}
            onChange={setOwner}
            known={before === null ? undefined : { uuid: before, name: name ?? before }}
          />
          <AddressesField value={addresses} onChange={setAddresses} />
          {save.isError && <ErrorAlert error={save.error} />}
          <Button type="submit" loading={save.isPending}>
            Save
          </Button>
        </Stack>
      </form>
    </Dialog>
  )
}
