import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import type { Run } from '../../api/types.ts'
import { Refusal } from '../../parts/states/refusal.tsx'

/** Cancels a run, and asks before it does: a run that was cancelled does not go on. */
export function CancelRun({ run }: { readonly run: Run }) {
  const queries = useQueryClient()
  const [isAsking, { open, close }] = useDisclosure()
  const cancel = useMutation({
    mutationFn: () => call('POST', `/runs/${run.run_uuid}/cancel`),
    onSuccess: close,
    onSettled: () => queries.invalidateQueries({ queryKey: ['run', run.run_uuid] }),
  })
  return (
    <>
      <Button size="xs" color="red" variant="light" disabled={run.cancellation !== null} onClick={open}>
        {run.cancellation === null ? 'Cancel' : 'Cancelling'}
      </Button>
      <Modal opened={isAsking} onClose={close} title="Cancel this run?">
        <Stack>
          <Text size="sm">
            Completed actions stay in effect. The current step finishes, then only the cleanup steps of the
            playbook run.
          </Text>
          {cancel.isError && <Refusal error={cancel.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Back
            </Button>
            <Button color="red" loading={cancel.isPending} onClick={() => cancel.mutate()} data-autofocus>
              Cancel run
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  )
}
