import { Group, Loader, Stack, Text, Timeline, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from 'wouter'
import { get } from '../api/call.ts'
import type { CaseDetail } from '../api/types.ts'
import { Refusal } from '../parts/refusal.tsx'
import { CaseState, SeverityBadge, VerdictBadge } from '../parts/states.tsx'
import { Time } from '../parts/times.tsx'
import { RunList } from '../runs/run-list.tsx'
import { ViewTitle } from '../shell/view-title.tsx'

export default function CasePage() {
  const { id } = useParams<{ id: string }>()
  const found = useQuery({
    queryKey: ['case', id],
    queryFn: () => get<CaseDetail>(`/cases/${encodeURIComponent(id)}`),
    refetchInterval: 5_000,
  })
  if (found.isPending) return <Loader aria-label="Loading" />
  if (found.isError) return <Refusal error={found.error} onRetry={() => void found.refetch()} />
  const { data } = found
  return (
    <Stack>
      <Group gap="sm">
        <ViewTitle>{`${data.case_id.toUpperCase()} ${data.title}`}</ViewTitle>
        <SeverityBadge severity={data.severity} />
        <VerdictBadge verdict={data.verdict} />
        <CaseState status={data.status} />
      </Group>
      {data.summary !== null && <Text style={{ whiteSpace: 'pre-wrap' }}>{data.summary}</Text>}
      <RunList runs={data.runs} />
      <Title order={2} size="h4">
        Timeline
      </Title>
      <Timeline bulletSize={14} lineWidth={2}>
        {data.timeline.map((entry, index) => (
          <Timeline.Item key={index} title={entry.text}>
            <Text size="xs" c="dimmed">
              {entry.by} · <Time at={entry.at} />
            </Text>
          </Timeline.Item>
        ))}
      </Timeline>
    </Stack>
  )
}
