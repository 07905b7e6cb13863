import { Alert, Grid, Stack, Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { actorText, showInvisible } from '../parts/outside-text.ts'
import { PageLoading, TextLink } from '../parts/layout.tsx'
import { ViewError, ViewHead } from '../shell/view.tsx'
import { StateBadge } from '../parts/states.tsx'
import { DateTime } from '../parts/times.tsx'
import { SmallTable } from '../parts/small-table.tsx'
import { AlertLink, BrokenConnections, LastErrors } from './problems.tsx'
import { PauseEngine } from './pause-engine.tsx'
import { Nodes } from './nodes.tsx'
import { LimitMeter, Stats } from './stats.tsx'
import { useEngine } from './use-engine.ts'
import type { ApiEngine } from '../api/types.ts'
import { FolderAlert } from './folder-alert.tsx'
import { OutsideText } from '../parts/text-view.tsx'

/** The state of the engine, its load, and recent errors. */
export default function HealthView() {
  // Rates fall without an event.
  const engine = useEngine(5_000)
  const isPhone = useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false })
  if (engine.isPending) return <PageLoading />
  if (engine.isLoadingError) return <ViewError error={engine.error} onRetry={() => void engine.refetch()} />
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
      <FolderAlert />
      {isPhone ? <Narrow engine={data} /> : <Wide engine={data} />}
    </Stack>
  )
}

/** One column, with what may need attention first. */
function Narrow({ engine }: EngineProps) {
  return (
    <>
      <BrokenConnections isShort />
      <LastErrors isShort />
      <Stats />
      <Nodes />
      <Organizations engine={engine} />
      <Destructive engine={engine} />
      <Repeats engine={engine} />
    </>
  )
}

function Wide({ engine }: EngineProps) {
  return (
    <>
      <Stats />
      <Nodes />
      <Organizations engine={engine} />
      <Grid gap="var(--tocsin-gap)">
        <Grid.Col span={{ base: 12, lg: 6 }}>
          <Stack gap="var(--tocsin-gap)">
            <Destructive engine={engine} />
            <Repeats engine={engine} />
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 6 }}>
          <Stack gap="var(--tocsin-gap)">
            <LastErrors />
            <BrokenConnections />
          </Stack>
        </Grid.Col>
      </Grid>
    </>
  )
}

interface EngineProps {
  readonly engine: ApiEngine
}

/** Why runs do not start as usual. */
function Unusual({
  engine: { state, reason, paused_actor: by, paused_since: since, recovering },
}: EngineProps) {
  return (
    <>
      {state === 'paused' && (
        <Alert color="orange" title="Runs are paused">
          <OutsideText text={reason ?? ''} />
          <Text size="sm" mt={4}>
            {by && showInvisible(actorText(by))} · <DateTime at={since} ago />. Alerts are still accepted and
            wait.
          </Text>
        </Alert>
      )}
      {recovering > 0 && (
        <Alert color="orange" title="Recovering from crashes">
          <Text size="sm">
            The server crashed twice in a row. {recovering.toLocaleString()}{' '}
            {recovering === 1 ? 'run that was' : 'runs that were'} active then{' '}
            {recovering === 1 ? 'is' : 'are'} resumed one at a time; it starts other runs when this is done.
          </Text>
        </Alert>
      )}
    </>
  )
}

function Organizations({ engine: { organizations } }: EngineProps) {
  return (
    <SmallTable
      isStacked
      title="Organizations, last minute"
      empty="No activity in the last minute"
      rows={organizations.toSorted((a, b) => Number(b.storm) - Number(a.storm))}
      idOf={(row) => row.organization_code}
      columns={[
        {
          title: 'Organization',
          cell: (row) => (
            <>
              {row.organization_code} {row.storm && <StateBadge text="Storm" color="red" />}
            </>
          ),
        },
        { title: 'Working', cell: (row) => <LimitMeter value={row.working} limit={row.max_working} /> },
        { title: 'Queued', cell: (row) => <LimitMeter value={row.queued} limit={row.max_queued} /> },
        { title: 'Alerts', isNumber: true, cell: (row) => row.received_per_minute.toLocaleString() },
        { title: 'Repeats', isNumber: true, cell: (row) => row.grouped_per_minute.toLocaleString() },
        { title: 'Refused', isNumber: true, cell: (row) => row.refused_per_minute.toLocaleString() },
        { title: 'Runs ended', isNumber: true, cell: (row) => row.ended_per_minute.toLocaleString() },
      ]}
    />
  )
}

function Destructive({ engine: { destructive } }: EngineProps) {
  return (
    <SmallTable
      isStacked
      title="Destructive actions, last hour"
      empty="No destructive actions"
      rows={destructive.toSorted((a, b) => b.held - a.held || a.remaining - b.remaining)}
      idOf={(use) => `${use.organization_code} ${use.class}`}
      columns={[
        {
          title: 'Class',
          cell: (use) => (
            <>
              {use.class}
              <Text size="xs" c="dimmed">
                {use.organization_code}
              </Text>
            </>
          ),
        },
        { title: 'Actions', cell: ({ uses, limit }) => <LimitMeter value={uses} limit={limit} /> },
        { title: 'Left', isNumber: true, cell: (use) => use.remaining.toLocaleString() },
        {
          title: 'Awaiting approval',
          cell: ({ held }) =>
            held > 0 && <TextLink href="/checkpoints">{held.toLocaleString()} awaiting approval</TextLink>,
        },
      ]}
    />
  )
}

function Repeats({ engine: { groups } }: EngineProps) {
  return (
    <SmallTable
      isStacked
      title="Repeated alerts"
      empty="No repeated alerts"
      rows={groups}
      idOf={(group) => group.alert_id}
      columns={[
        {
          title: 'Alert',
          cell: (group) => (
            <div>
              <AlertLink id={group.alert_id} />
              <Text size="xs" className="outside-text">
                {showInvisible(group.alert_type ?? 'without a type')}
              </Text>
            </div>
          ),
        },
        {
          title: 'In common',
          cell: ({ grouped_because: reason }) => (
            <Text size="xs" c="dimmed" className="outside-text">
              {showInvisible(reason ?? '')}
            </Text>
          ),
        },
        {
          title: 'Case',
          cell: ({ case_id: id }) =>
            id !== null && <TextLink href={`/cases/${id}`}>{id.toUpperCase()}</TextLink>,
        },
        { title: 'Alerts', isNumber: true, cell: (group) => group.alerts.toLocaleString() },
        { title: 'Latest', isNumber: true, cell: (group) => <DateTime at={group.last_at} ago /> },
      ]}
    />
  )
}
