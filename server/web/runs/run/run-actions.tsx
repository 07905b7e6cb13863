import { Button, Group } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { get } from '../../api/call.ts'
import type { Run } from '../../api/types.ts'
import type { PlaybookDetail } from '../../playbooks/playbook.ts'
import { useMay } from '../../session/session.ts'
import { CancelRun } from './cancel-run.tsx'
import { hasEnded } from './has-ended.ts'
import { RetryDialog } from '../retry/retry-dialog.tsx'
import { retryOffer, retryTitles } from '../retry/retry-offer.ts'

/** What can be done with a run. */
export function RunActions({ run }: { readonly run: Run }) {
  const [isRetrying, { open, close }] = useDisclosure()
  const mayRetry = useMay('analyst', 'admin')
  const newest = useQuery({
    queryKey: ['playbook', run.playbook],
    queryFn: () => get<PlaybookDetail>(`/playbooks/${encodeURIComponent(run.playbook)}`),
    enabled: mayRetry && run.status === 'completed',
  })
  if (!mayRetry) return null
  const offer = retryOffer(run, newest.data)
  return (
    <Group gap="xs">
      {!hasEnded(run) && <CancelRun run={run} />}
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
