import { Paper, SimpleGrid, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { apiGet } from '../api/call.ts'
import type { ApiPage, ApiRun } from '../api/types.ts'
import { useNow } from '../parts/time.ts'
import type { EngineSample } from './engine-history.ts'
import { useEngineHistory } from './use-engine.ts'
import './health.css'

const [minuteMs, hourMs] = [60_000, 3_600_000]

/** Key numbers with their history. */
export function Stats() {
  const history = useEngineHistory()
  return (
    <SimpleGrid cols={{ base: 2, lg: 4 }} spacing="var(--tocsin-gap)">
      <Stat label="Queued runs" history={history} of="queued" />
      <Stat label="Alerts per minute" history={history} of="received" />
      <Stat label="Runs ended per minute" history={history} of="ended" />
      <FailedRuns />
    </SimpleGrid>
  )
}

interface StatProps {
  readonly label: string
  readonly history: readonly EngineSample[]
  readonly of: 'queued' | 'received' | 'ended'
}

function Stat({ label, history, of }: StatProps) {
  return (
    <Paper withBorder p="md">
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <div className="stat-value">{history.at(-1)?.[of].toLocaleString() ?? '–'}</div>
      <Sparkline label={label} points={history.map((sample) => ({ at: sample.at, value: sample[of] }))} />
    </Paper>
  )
}

function FailedRuns() {
  // Change the query once a minute, not every second.
  const since = Math.floor(useNow() / minuteMs) * minuteMs - hourMs
  const failed = useQuery({
    queryKey: ['failed-runs', since],
    queryFn: () => apiGet<ApiPage<ApiRun>>('/runs', { status: 'failed', created_after: since, limit: 1 }),
    refetchInterval: 10_000,
    placeholderData: (before) => before,
  })
  const count = failed.data?.total
  return (
    <Paper withBorder p="md">
      <Text size="sm" c="dimmed">
        Failed in the last hour
      </Text>
      <div className={`stat-value ${count === undefined || count === 0 ? '' : 'state-red'}`}>
        {count?.toLocaleString() ?? '–'}
      </div>
      <Text
        component={Link}
        href="/runs?status=failed"
        size="sm"
        c="var(--mantine-color-anchor)"
        mt={8}
        display="block"
      >
        View failures
      </Text>
    </Paper>
  )
}

interface SparklineProps {
  readonly points: readonly { readonly at: number; readonly value: number }[]
  readonly label: string
}

const [width, height] = [100, 32]

/** A line chart without axes. The label contains the extremes. */
function Sparkline({ points, label }: SparklineProps) {
  const values = points.map(({ value }) => value)
  const highest = Math.max(1, ...values)
  const [from, to] = [points[0]?.at ?? 0, points.at(-1)?.at ?? 0]
  const x = (at: number): number => (to === from ? width : ((at - from) / (to - from)) * width)
  const y = (value: number): number => height - 2 - (value / highest) * (height - 4)
  const line = points.map(({ at, value }) => `${x(at).toFixed(1)},${y(value).toFixed(1)}`).join(' ')
  const extremes = `${label} since this page was opened: ${Math.min(...values)} to ${Math.max(...values)}`
  return (
    <svg
      className="sparkline"
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={points.length < 2 ? label : extremes}
    >
      {points.length > 1 && (
        <>
          <polygon points={`0,${height} ${line} ${width},${height}`} />
          <polyline points={line} vectorEffect="non-scaling-stroke" />
        </>
      )}
    </svg>
  )
}

interface MeterProps {
  readonly value: number
  readonly limit: number
}

/** Usage of a limit: red at the limit, orange near it. */
export function LimitMeter({ value, limit }: MeterProps) {
  const part = limit === 0 ? 1 : Math.min(1, value / limit)
  const color = part >= 1 ? 'red' : part >= 0.7 ? 'orange' : 'gray'
  return (
    <div className="meter">
      <Text component="span" size="sm" style={{ whiteSpace: 'nowrap' }}>
        {value.toLocaleString()} of {limit.toLocaleString()}
      </Text>
      <div className={`meter-track state-${color}`} aria-hidden>
        <div className="meter-fill" style={{ width: `${(part * 100).toFixed(1)}%` }} />
      </div>
    </div>
  )
}
