import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import { Refusal } from '../parts/refusal.tsx'
import { showInvisible } from '../parts/show-invisible.ts'
import { useSession } from '../session/session.ts'
import type { Key } from './key.ts'

interface RevokeKeyProps {
  readonly apiKey: Key | undefined
  readonly onClose: () => void
}

/** Asks once more: a revoked key never works again. */
export function RevokeKey({ apiKey, onClose }: RevokeKeyProps) {
  const queries = useQueryClient()
  const { key_id: own } = useSession()
  const revoke = useMutation({
    mutationFn: (id: string) => call('DELETE', `/keys/${id}`),
    onSuccess() {
      void queries.resetQueries({ queryKey: ['list', '/keys'] })
      onClose()
    },
  })
  return (
    <Modal opened={apiKey !== undefined} onClose={onClose} title="Revoke a key">
      <Stack>
        <Text size="sm">
          What uses the key “{showInvisible(apiKey?.name ?? '')}” is refused from now on. A revoked key never
          works again.
        </Text>
        {apiKey?.key_id === own && (
          <Alert color="orange" title="You are signed in with this key">
            <Text size="sm">You are signed out at once, and need another key to come back.</Text>
          </Alert>
        )}
        {revoke.isError && <Refusal error={revoke.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Back
          </Button>
          <Button
            color="red"
            loading={revoke.isPending}
            onClick={() => apiKey && revoke.mutate(apiKey.key_id)}
          >
            Revoke
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
