import { Anchor, Group, Loader, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from 'wouter'
import { get } from '../api/call.ts'
import type { RunDetail } from '../api/types.ts'
import { Fields } from '../parts/fields.tsx'
import { Refusal } from '../parts/refusal.tsx'
import { RunState } from '../parts/states.tsx'
import { durationText, Time } from '../parts/times.tsx'
import { ViewTitle } from '../shell/view-title.tsx'
import { Steps } from './steps.tsx'

const ended = new Set(['completed', 'failed', 'cancelled'])

export default function RunPage() {
  const { id } = useParams<{ id: string }>()
  const run = useQuery({
    queryKey: ['run', id],
    queryFn: () => get<RunDetail>(`/runs/${encodeURIComponent(id)}`),
    refetchInterval: ({ state }) => (ended.has(state.data?.status ?? '') ? false : 1_000),
  })
  if (run.isPending) return <Loader aria-label="Loading" />
  if (run.isError) return <Refusal error={run.error} onRetry={() => void run.refetch()} />
  const { data } = run
  return (
    <Stack>
      <Group gap="sm">
        <ViewTitle>{data.playbook}</ViewTitle>
        <RunState status={data.status} />
      </Group>
      <Fields
        entries={[
          ['Organization', data.organization_code],
          [
            'Alert',
            data.alert_id !== null && (
              <Anchor component={Link} href={`/alerts/${data.alert_id}`} size="sm">
                {data.alert_id.toUpperCase()}
              </Anchor>
            ),
          ],
          [
            'Case',
            data.case_id !== null && (
              <Anchor component={Link} href={`/cases/${data.case_id}`} size="sm">
                {data.case_id.toUpperCase()}
              </Anchor>
            ),
          ],
          ['Started', data.started_at !== null && <Time key="started" at={data.started_at} />],
          [
            'Took',
            data.started_at !== null &&
              data.ended_at !== null &&
              durationText(data.ended_at - data.started_at),
          ],
        ]}
      />
      <Steps run={data} />
    </Stack>
  )
}
