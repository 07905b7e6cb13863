import { Alert, Anchor, Badge, Group, Loader, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { get } from '../api/call.ts'
import { Refusal } from '../parts/refusal.tsx'
import { Time } from '../parts/times.tsx'
import { ViewTitle } from '../shell/view-title.tsx'
import type { Engine } from './engine.ts'
import { PauseEngine } from './pause-engine.tsx'
import { SmallTable } from './small-table.tsx'

/** How the server does: what waits, how much comes, and whether runs are paused. */
export default function HealthView() {
  const engine = useQuery({
    queryKey: ['engine'],
    queryFn: () => get<Engine>('/engine'),
    refetchInterval: 2_000,
  })
  if (engine.isPending) return <Loader aria-label="Loading" />
  if (engine.isLoadingError) return <Refusal error={engine.error} onRetry={() => void engine.refetch()} />
  const { data } = engine
  return (
    <Stack>
      <Group justify="space-between">
        <Group gap="sm">
          <ViewTitle>Health</ViewTitle>
          <Badge color={data.state === 'running' ? 'green' : 'orange'} variant="light" tt="none" radius="sm">
            {data.state === 'running' ? 'Running' : 'Paused'}
          </Badge>
          {data.storm && (
            <Badge color="red" variant="light" tt="none" radius="sm">
              Storm
            </Badge>
          )}
        </Group>
        <PauseEngine isPaused={data.state === 'paused'} />
      </Group>
      {data.state === 'paused' && (
        <Alert color="orange" variant="light" title="Runs are paused">
          <Text size="sm" className="outside-text">
            {data.reason}
          </Text>
          <Text size="sm" c="dimmed">
            {data.paused_by} · <Time at={data.paused_since} ago />. Alerts are taken in and wait.
          </Text>
        </Alert>
      )}
      <SmallTable
        title="Organizations"
        empty="Nothing has happened within the last minute, and nothing waits."
        heads={[
          'Organization',
          'Waiting',
          'Received a minute',
          'Of these repeats',
          'Runs ended a minute',
          '',
        ]}
        rows={data.organizations.map((row) => [
          row.organization_code,
          `${row.queued.toLocaleString()} of ${row.max_queued.toLocaleString()}`,
          row.received_per_minute.toLocaleString(),
          row.grouped_per_minute.toLocaleString(),
          row.ended_per_minute.toLocaleString(),
          row.storm ? 'Storm' : '',
        ])}
      />
      <SmallTable
        title="Alerts that repeat"
        empty="No alert takes in repeats at present."
        heads={['Alert', 'Case', 'Alerts together', 'The last']}
        rows={data.groups.map((group) => [
          <Anchor key="alert" component={Link} href={`/alerts/${group.alert_id}`} size="sm">
            {group.alert_id.toUpperCase()}
          </Anchor>,
          group.case_id === null ? (
            ''
          ) : (
            <Anchor key="case" component={Link} href={`/cases/${group.case_id}`} size="sm">
              {group.case_id.toUpperCase()}
            </Anchor>
          ),
          group.alerts.toLocaleString(),
          <Time key="last" at={group.last_at} ago />,
        ])}
      />
      <SmallTable
        title="Destructive skills within the last hour"
        empty="None was used."
        heads={['Organization', 'Skill', 'Uses', 'Wait for a person']}
        rows={data.destructive.map((use) => [
          use.organization_code,
          use.skill,
          `${use.uses} of ${use.limit}`,
          use.held === 0 ? '' : String(use.held),
        ])}
      />
    </Stack>
  )
}
