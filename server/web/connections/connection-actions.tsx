import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import { Refusal } from '../parts/states/refusal.tsx'
import { useGoOn } from '../parts/use-go-on.ts'
import type { Connection } from './connection.ts'

interface ConnectionActionsProps {
  readonly connection: Connection
  readonly path: string
  readonly etag: string | null
  readonly onDone: () => void
}

/** Turns a connection off and on, and deletes it. */
export function ConnectionActions({ connection, path, etag, onDone }: ConnectionActionsProps) {
  const queries = useQueryClient()
  const goOn = useGoOn()
  const [isDeleting, { open, close }] = useDisclosure()
  const headers = { 'if-match': etag ?? '*' }
  const turn = useMutation({
    mutationFn: () => call('PATCH', path, { body: { enabled: !connection.enabled }, headers }),
    onSettled: onDone,
  })
  const remove = useMutation({
    mutationFn: () => call('DELETE', path, { headers }),
    onSuccess() {
      void queries.resetQueries({ queryKey: ['list', '/connections'] })
      goOn('/connections')
    },
  })
  return (
    <Group gap="xs">
      {turn.isError && <Refusal error={turn.error} />}
      <Button size="xs" variant="default" loading={turn.isPending} onClick={() => turn.mutate()}>
        {connection.enabled ? 'Turn off' : 'Turn on'}
      </Button>
      <Button size="xs" variant="default" c="red" onClick={open}>
        Delete
      </Button>
      <Modal opened={isDeleting} onClose={close} title="Delete connection">
        <Stack>
          <Text size="sm">
            “{connection.name}” and its secrets will be deleted. Steps that need it will fail.
          </Text>
          {remove.isError && <Refusal error={remove.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Back
            </Button>
            <Button color="red" loading={remove.isPending} onClick={() => remove.mutate()}>
              Delete
            </Button>
          </Group>
        </Stack>
      </Modal>
    </Group>
  )
}
