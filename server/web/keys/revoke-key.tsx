import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import { Refusal } from '../parts/refusal.tsx'
import type { Key } from './key.ts'

interface RevokeKeyProps {
  readonly apiKey: Key | undefined
  readonly onClose: () => void
}

/** Asks once more: a revoked key never works again. */
export function RevokeKey({ apiKey, onClose }: RevokeKeyProps) {
  const queries = useQueryClient()
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
          What uses the key “{apiKey?.name}” is refused from now on. A revoked key never works again.
        </Text>
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
