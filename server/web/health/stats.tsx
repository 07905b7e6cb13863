import { Paper, SimpleGrid, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { get } from '../api/call.ts'
import type { Page, Run } from '../api/types.ts'
import { useNow } from '../parts/time/now.ts'
import type { EngineSample } from './engine-history.ts'
import { Sparkline } from './sparkline.tsx'
import { useEngineHistory } from './use-engine.ts'

const [minuteMs, hourMs] = [60_000, 3_600_000]

/** The few numbers that say whether all is as usual, and how they went. */
export function Stats() {
  const history = useEngineHistory()
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, lg: 4 }} spacing="var(--tocsin-gap)">
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
  // Another question every minute, not every second.
  const since = Math.floor(useNow() / minuteMs) * minuteMs - hourMs
  const failed = useQuery({
    queryKey: ['failed-runs', since],
    queryFn: () => get<Page<Run>>('/runs', { status: 'failed', created_after: since, limit: 1 }),
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
