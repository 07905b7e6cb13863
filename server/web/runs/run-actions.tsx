import { Button, Group } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import type { Run } from '../api/types.ts'
import { Refusal } from '../parts/refusal.tsx'
import { useMay } from '../session/session.ts'
import { hasEnded } from './has-ended.ts'
import { RetryDialog } from './retry-dialog.tsx'

/** What can be done with a run. */
export function RunActions({ run }: { readonly run: Run }) {
  const queries = useQueryClient()
  const [isRetrying, { open, close }] = useDisclosure()
  const cancel = useMutation({
    mutationFn: () => call('POST', `/runs/${run.run_uuid}/cancel`),
    onSettled: () => queries.invalidateQueries({ queryKey: ['run', run.run_uuid] }),
  })
  if (!useMay('analyst', 'admin')) return null
  return (
    <Group gap="xs">
      {cancel.isError && <Refusal error={cancel.error} />}
      {!hasEnded(run) && (
        <Button
          size="xs"
          color="red"
          variant="light"
          loading={cancel.isPending}
          disabled={run.cancellation !== null}
          onClick={() => cancel.mutate()}
        >
          {run.cancellation === null ? 'Cancel' : 'Being cancelled'}
        </Button>
      )}
      {hasEnded(run) && run.pruned_at === null && (
        <Button size="xs" variant="default" onClick={open}>
          {run.status === 'completed' ? 'Run a newer playbook' : 'Retry from the failed step'}
        </Button>
      )}
      <RetryDialog run={run} opened={isRetrying} onClose={close} />
    </Group>
  )
}
