import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call, get } from '../api/call.ts'
import type { Page } from '../api/types.ts'
import { serverTime } from '../parts/time/now.ts'
import { Refusal } from '../parts/states/refusal.tsx'
import { showInvisible } from '../parts/json/show-invisible.ts'
import { useSession } from '../session/session.ts'
import { isLastAdmin, type Key } from './key.ts'

interface RevokeKeyProps {
  readonly apiKey: Key | undefined
  readonly onClose: () => void
}

/** Asks once more: a revoked key never works again. */
export function RevokeKey({ apiKey, onClose }: RevokeKeyProps) {
  const queries = useQueryClient()
  const { key_id: own } = useSession()
  const admins = useQuery({
    queryKey: ['admins', apiKey?.key_id],
    queryFn: () => get<Page<Key>>('/keys', { role: 'admin', state: 'usable', limit: 200 }),
    enabled: apiKey?.role === 'admin',
    staleTime: 0,
  })
  const isLast = apiKey !== undefined && isLastAdmin(apiKey, admins.data?.data ?? [], serverTime())
  const revoke = useMutation({
    mutationFn: (id: string) => call('DELETE', `/keys/${id}`),
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
    <Modal opened={apiKey !== undefined} onClose={close} title="Revoke key">
      <Stack>
        <Text size="sm">
          Requests with the key “{showInvisible(apiKey?.name ?? '')}” will be refused immediately. You cannot
          undo this.
        </Text>
        {isLast && admins.isSuccess && (
          <Alert color="orange" title="This is the last active administrator key">
            <Text size="sm">
              Without it nobody could create keys. First create another administrator key for all
              organizations that stays valid for at least a week.
            </Text>
          </Alert>
        )}
        {apiKey?.key_id === own && !isLast && !revoke.isError && (
          <Alert color="orange" title="You are signed in with this key">
            <Text size="sm">You will be signed out immediately and need another key to sign in.</Text>
          </Alert>
        )}
        {revoke.isError && <Refusal error={revoke.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            Back
          </Button>
          <Button
            color="red"
            loading={revoke.isPending || admins.isLoading}
            disabled={isLast}
            onClick={() => apiKey && revoke.mutate(apiKey.key_id)}
          >
            Revoke
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
