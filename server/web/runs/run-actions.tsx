import { Button, Group, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { apiGet, apiCall } from '../api/call.ts'
import type { ApiRun, ApiPlaybookDetail } from '../api/types.ts'
import { useMay } from '../session/session.ts'
import { isRunOver, retryOffer, retryTitles } from './retries.ts'
import { RetryDialog } from './retry-dialog.tsx'
import { ConfirmButton } from '../parts/feedback.tsx'

/** Buttons to cancel and retry a run. */
export function RunActions({ run }: { readonly run: ApiRun }) {
  const [isRetrying, { open, close }] = useDisclosure()
  const mayRetry = useMay('runs:write')
  const newest = useQuery({
    queryKey: ['playbook', run.playbook],
    queryFn: () => apiGet<ApiPlaybookDetail>(`/playbooks/${encodeURIComponent(run.playbook)}`),
    enabled: mayRetry && run.status === 'completed',
  })
  if (!mayRetry) return null
  const offer = retryOffer(run, newest.data)
  return (
    <Group gap="xs">
      {!isRunOver(run) && <CancelRun run={run} />}
      {offer !== null && (
        <>
          <Button size="xs" variant="default" onClick={open}>
            {retryTitles[offer]}
          </Button>
          <RetryDialog run={run} offer={offer} opened={isRetrying} onClose={close} />
        </>
      )}
    </Group>
  )
}

/** Cancels a run after a confirmation. */
function CancelRun({ run }: { readonly run: ApiRun }) {
  const queries = useQueryClient()
  const cancel = useMutation({
    mutationFn: () => apiCall('POST', `/runs/${run.run_uuid}/cancel`),
    onSettled: () => queries.invalidateQueries({ queryKey: ['run', run.run_uuid] }),
  })
  return (
    <ConfirmButton
      text={run.cancellation === null ? 'Cancel' : 'Cancelling'}
      look={{ color: 'red', variant: 'light', disabled: run.cancellation !== null }}
      title="Cancel this run?"
      action="Cancel run"
      mutation={cancel}
    >
      <Text size="sm">
        Completed actions stay in effect. The current step finishes, then only the cleanup steps of the
        playbook run.
      </Text>
    </ConfirmButton>
  )
}
