import { whoText } from '../parts/who-text.ts'
import { Alert, Anchor, Grid, Stack, Text } from '@mantine/core'
import { Link } from 'wouter'
import { PageLoading } from '../parts/states/page-loading.tsx'
import { ViewRefusal } from '../shell/view/view-refusal.tsx'
import { showInvisible } from '../parts/json/show-invisible.ts'
import { StateBadge } from '../parts/states/states.tsx'
import { Time } from '../parts/time/times.tsx'
import { ViewHead } from '../shell/view/view-head.tsx'
import { BrokenConnections } from './broken-connections.tsx'
import type { Engine } from './engine.ts'
import { LastErrors } from './last-errors.tsx'
import { Meter } from './meter.tsx'
import { PauseEngine } from './pause-engine.tsx'
import { SmallTable } from './small-table.tsx'
import { Stats } from './stats.tsx'
import { useEngine } from './use-engine.ts'

/** How the server does: what waits, how much comes, what went wrong, and whether runs are paused. */
export default function HealthView() {
  // Rates fall though nothing happens, of which nobody tells.
  const engine = useEngine(5_000)
  if (engine.isPending) return <PageLoading />
  if (engine.isLoadingError) return <ViewRefusal error={engine.error} onRetry={() => void engine.refetch()} />
  const { data } = engine
  const isPaused = data.state === 'paused'
  return (
    <Stack gap="var(--tocsin-gap)">
      <ViewHead
        title="Health"
        states={
          <>
            <StateBadge text={isPaused ? 'Paused' : 'Running'} color={isPaused ? 'orange' : 'green'} />
            {data.storm && <StateBadge text="Storm" color="red" />}
          </>
        }
        actions={<PauseEngine isPaused={isPaused} />}
      />
      <Unusual engine={data} />
      <Stats />
      <Organizations engine={data} />
      <Grid gap="var(--tocsin-gap)">
        <Grid.Col span={{ base: 12, lg: 6 }}>
          <Stack gap="var(--tocsin-gap)">
            <Destructive engine={data} />
            <Repeats engine={data} />
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 6 }}>
          <Stack gap="var(--tocsin-gap)">
            <LastErrors />
            <BrokenConnections />
          </Stack>
        </Grid.Col>
      </Grid>
    </Stack>
  )
}

interface EngineProps {
  readonly engine: Engine
}

/** Why runs do not begin as they usually do. */
function Unusual({
  engine: { state, reason, paused_actor: by, paused_since: since, recovering },
}: EngineProps) {
  return (
    <>
      {state === 'paused' && (
        <Alert color="orange" title="Runs are paused">
          <Text size="sm" className="outside-text">
            {showInvisible(reason ?? '')}
          </Text>
          <Text size="sm" mt={4}>
            {by && showInvisible(whoText(by))} · <Time at={since} ago />. Alerts are still accepted and wait.
          </Text>
        </Alert>
      )}
      {recovering > 0 && (
        <Alert color="orange" title="Recovering from crashes">
          <Text size="sm">
            The server crashed twice in a row. {recovering.toLocaleString()}{' '}
            {recovering === 1 ? 'run that was' : 'runs that were'} active then{' '}
            {recovering === 1 ? 'is' : 'are'} resumed one at a time; other runs start when this is done.
          </Text>
        </Alert>
      )}
    </>
  )
}

function Organizations({ engine: { organizations } }: EngineProps) {
  return (
    <SmallTable
      title="Organizations, last minute"
      empty="No activity in the last minute"
      columns={['Organization', 'Working', 'Queued', '#Alerts', '#Repeats', '#Refused', '#Runs ended']}
      rows={organizations.map((row) => [
        <span key="name">
          {row.organization_code} {row.storm && <StateBadge text="Storm" color="red" />}
        </span>,
        <Meter key="working" value={row.working} limit={row.max_working} />,
        <Meter key="queue" value={row.queued} limit={row.max_queued} />,
        row.received_per_minute.toLocaleString(),
        row.grouped_per_minute.toLocaleString(),
        row.refused_per_minute.toLocaleString(),
        row.ended_per_minute.toLocaleString(),
      ])}
    />
  )
}

function Destructive({ engine: { destructive } }: EngineProps) {
  return (
    <SmallTable
      title="Destructive actions, last hour"
      empty="No destructive actions"
      columns={['Class', 'Actions', '#Left', 'Awaiting approval']}
      rows={destructive.map((use) => [
        <span key="class">
          {use.class}
          <Text size="xs" c="dimmed">
            {use.organization_code}
          </Text>
        </span>,
        <Meter key="uses" value={use.uses} limit={use.limit} />,
        use.remaining.toLocaleString(),
        use.held > 0 && (
          <Anchor key="held" component={Link} href="/checkpoints" size="sm">
            {use.held.toLocaleString()} awaiting approval
          </Anchor>
        ),
      ])}
    />
  )
}

function Repeats({ engine: { groups } }: EngineProps) {
  return (
    <SmallTable
      title="Repeated alerts"
      empty="No repeated alerts"
      columns={['Alert', 'Case', '#Alerts', '#Latest']}
      rows={groups.map((group) => [
        <Anchor key="alert" component={Link} href={`/alerts/${group.alert_id}`} size="sm">
          {group.alert_id.toUpperCase()}
        </Anchor>,
        group.case_id !== null && (
          <Anchor key="case" component={Link} href={`/cases/${group.case_id}`} size="sm">
            {group.case_id.toUpperCase()}
          </Anchor>
        ),
        group.alerts.toLocaleString(),
        <Time key="last" at={group.last_at} ago />,
      ])}
    />
  )
}
