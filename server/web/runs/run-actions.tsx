import { Button, Group } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { Run } from '../api/types.ts'
import { useMay } from '../session/session.ts'
import { CancelRun } from './cancel-run.tsx'
import { hasEnded } from './has-ended.ts'
import { RetryDialog } from './retry-dialog.tsx'

/** What can be done with a run. */
export function RunActions({ run }: { readonly run: Run }) {
  const [isRetrying, { open, close }] = useDisclosure()
  if (!useMay('analyst', 'admin')) return null
  return (
    <Group gap="xs">
      {!hasEnded(run) && <CancelRun run={run} />}
      {hasEnded(run) && run.pruned_at === null && run.retried_by === null && (
        <Button size="xs" variant="default" onClick={open}>
          {run.status === 'completed' ? 'Run a newer playbook' : 'Retry from the failed step'}
        </Button>
      )}
      <RetryDialog run={run} opened={isRetrying} onClose={close} />
    </Group>
  )
}
