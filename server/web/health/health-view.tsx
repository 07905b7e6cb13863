import { Alert, Grid, Stack, Text } from '@mantine/core'
import { CheckIcon, Link2Icon } from '@radix-ui/react-icons'
import { useQuery } from '@tanstack/react-query'
import { actorText, showInvisible } from '../parts/outside-text.ts'
import { PageLoading, TextLink } from '../parts/layout.tsx'
import { ViewError, ViewHead } from '../shell/view.tsx'
import { StateBadge } from '../parts/states.tsx'
import { DateTime } from '../parts/times.tsx'
import { SmallTable } from '../parts/small-table.tsx'
import { PauseEngine } from './pause-engine.tsx'
import { LimitMeter, Stats } from './stats.tsx'
import { useEngine } from './use-engine.ts'
import { apiGet } from '../api/call.ts'
import type { ApiPage, ApiRun, ApiConnection, ApiEngine } from '../api/types.ts'
import { ConnectionState } from '../connections/connection-parts.tsx'
import { OutsideText } from '../parts/text-view.tsx'

/** The state of the engine, its load, and recent errors. */
export default function HealthView() {
  // Rates fall without an event.
  const engine = useEngine(5_000)
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
      rows={organizations}
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
      title="Destructive actions, last hour"
      empty="No destructive actions"
      rows={destructive}
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
      title="Repeated alerts"
      empty="No repeated alerts"
      rows={groups}
      idOf={(group) => group.alert_id}
      columns={[
        { title: 'Alert', cell: (group) => <AlertLink id={group.alert_id} /> },
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

const AlertLink = ({ id }: { readonly id: string }) => (
  <TextLink href={`/alerts/${id}`}>{id.toUpperCase()}</TextLink>
)

/** The newest failed runs. */
function LastErrors() {
  const failed = useQuery({
    queryKey: ['last-errors'],
    queryFn: () => apiGet<ApiPage<ApiRun>>('/runs', { status: 'failed', limit: 6 }),
    refetchInterval: 10_000,
  })
  return (
    <SmallTable
      title="Last errors"
      icon={CheckIcon}
      empty={failed.isPending ? 'Loading …' : 'No failed runs'}
      rows={failed.data?.data ?? []}
      idOf={(run) => run.run_uuid}
      columns={[
        {
          title: 'Playbook',
          cell: (run) => (
            <TextLink href={`/runs/${run.run_uuid}`} isStrong>
              {run.playbook}
            </TextLink>
          ),
        },
        { title: 'Reason', cell: (run) => <OutsideText text={run.error?.message ?? ''} /> },
        { title: 'Alert', cell: (run) => run.alert_id !== null && <AlertLink id={run.alert_id} /> },
        { title: 'When', isNarrow: true, cell: (run) => <DateTime at={run.ended_at} ago /> },
      ]}
    />
  )
}

/** Connections with errors or warnings. */
function BrokenConnections() {
  const connections = useQuery({
    queryKey: ['connection', 'remarks'],
    queryFn: () => apiGet<ApiPage<ApiConnection>>('/connections', { limit: 200 }),
    refetchInterval: 30_000,
  })
  const found = connections.data?.data.filter(
    ({ broken, warnings }) => broken !== null || warnings.length > 0,
  )
  return (
    <SmallTable
      title="Connection problems"
      icon={Link2Icon}
      empty={found === undefined ? 'Loading …' : 'None'}
      rows={found ?? []}
      idOf={(connection) => connection.connection_uuid}
      columns={[
        {
          title: 'Connection',
          cell: (connection) => (
            <TextLink href={`/connections/${connection.connection_uuid}`} isStrong>
              {showInvisible(connection.name)}
            </TextLink>
          ),
        },
        { title: 'State', cell: (connection) => <ConnectionState connection={connection} /> },
        {
          title: 'Reason',
          cell: ({ broken, warnings }) => <OutsideText text={broken?.reason ?? warnings[0]?.reason ?? ''} />,
        },
      ]}
    />
  )
}
