import { Alert, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { apiGet } from '../api/call.ts'
import type { ApiRunDetail, ApiSkillDetail } from '../api/types.ts'
import { usePollMs } from '../live/live-state.ts'
import { ErrorAlert, StoredErrorView } from '../parts/feedback.tsx'
import { TextLink } from '../parts/layout.tsx'
import { RunStatusBadge } from '../parts/states.tsx'
import { JsonView } from '../parts/text-view.tsx'
import { isRunOver } from '../runs/retries.ts'

interface TrialResultProps {
  /** Uuid of the run. */
  readonly id: string
  readonly skill: Pick<ApiSkillDetail, 'name'>
}

/** The run that calls the skill: its state, then its output or error. */
export function TrialResult({ id, skill }: TrialResultProps) {
  const poll = usePollMs()
  const run = useQuery({
    queryKey: ['run', id],
    queryFn: () => apiGet<ApiRunDetail>(`/runs/${id}`),
    refetchInterval: ({ state }) => (state.data !== undefined && isRunOver(state.data) ? false : poll(500)),
  })
  if (run.isLoadingError) return <ErrorAlert error={run.error} onRetry={() => void run.refetch()} />
  if (run.isPending) return null
  const { status, error } = run.data
  const step = run.data.steps.find(({ kind }) => kind === skill.name)
  const output = step?.state === 'completed' ? step.output : null
  return (
    <Stack gap="sm" aria-live="polite">
      <Group gap="sm">
        <RunStatusBadge status={status} />
        <TextLink href={`/runs/${id}`} isUnderlined>
          Show run
        </TextLink>
      </Group>
      <Waiting run={run.data} />
      {error !== null && <StoredErrorView error={error} />}
      {output !== null && <JsonView value={output} label="Output of the skill" title="Output" level={3} />}
    </Stack>
  )
}

/** The reason why a run has not ended. */
function Waiting({ run }: { readonly run: ApiRunDetail }) {
  if (run.status !== 'waiting') return null
  const isUnknown = run.steps.some(({ state }) => state === 'unknown')
  return isUnknown ? (
    <Alert color="orange" title="Outcome unknown">
      <Text size="sm">
        The change may have taken effect. Check the other system, then{' '}
        <TextLink href={`/runs/${run.run_uuid}`} isUnderlined>
          record the outcome
        </TextLink>
        .
      </Text>
    </Alert>
  ) : (
    <Alert color="grape" title="Waiting for an approval">
      <Text size="sm">
        Nothing has been changed yet. Someone else has to approve it:{' '}
        <TextLink href={`/checkpoints?run=${run.run_uuid}`} isUnderlined>
          open question
        </TextLink>
        .
      </Text>
    </Alert>
  )
}
