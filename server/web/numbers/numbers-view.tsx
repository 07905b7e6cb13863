import { Group, Paper, Select, Stack } from '@mantine/core'
import { useMemo } from 'react'
import { useOrganizations } from '../api/lookups.ts'
import type { ApiNumbers } from '../api/types.ts'
import { ChoiceFilter, LookupFilter } from '../lists/filters.tsx'
import { useFilters } from '../lists/use-filters.ts'
import type { SmallColumn } from '../parts/small-table.tsx'
import { OutsideText } from '../parts/text-view.tsx'
import { durationText, useNow } from '../parts/time.ts'
import { ViewHead } from '../shell/view.tsx'
import { ChartSection, TableSection } from './number-section.tsx'
import { seriesOf, type Series } from './series.ts'
import { useNumbers } from './use-numbers.ts'
import './numbers.css'

const names = ['days', 'organization', 'by'] as const
const dayChoices = [
  { value: '1', label: 'Last 24 hours' },
  { value: '7', label: 'Last 7 days' },
  { value: '30', label: 'Last 30 days' },
  { value: '90', label: 'Last 90 days' },
  { value: '365', label: 'Last 365 days' },
]
const dimensions = [
  { value: 'type', label: 'By type' },
  { value: 'provider', label: 'By provider' },
  { value: 'severity', label: 'By severity' },
]
const [minuteMs, dayMs] = [60_000, 86_400_000]

/** Volumes, times and outcomes of a time range. */
export default function NumbersView() {
  const { filters, of, choose } = useFilters(names)
  const organizations = useOrganizations()
  // A new range every minute.
  const now = Math.floor(useNow() / minuteMs) * minuteMs
  const days = Math.min(1_000, Math.max(1, Number(filters.days) || 7))
  const { organization, by = 'type' } = filters
  const query = useMemo(
    () => ({ from: now - days * dayMs, to: now + minuteMs, organization }),
    [now, days, organization],
  )
  return (
    <Stack gap="var(--tocsin-gap)">
      <ViewHead title="Numbers" />
      <Group gap="xs">
        <ChoiceFilter label="Time" data={dayChoices} {...of('days')} value={String(days)} />
        <LookupFilter label="Organization" lookup={organizations} {...of('organization')} />
      </Group>
      <Tiles query={query} />
      <AlertNumbers query={query} by={by} onBy={(next) => choose({ by: next })} />
      <TimeNumbers query={query} />
      <RunNumbers query={query} />
      <OtherNumbers query={query} />
    </Stack>
  )
}

interface NumbersProps {
  readonly query: { readonly from: number; readonly to: number; readonly organization: string | undefined }
}

function Tiles({ query }: NumbersProps) {
  const { data: alerts } = useNumbers<ApiNumbers['alerts']>('alerts', { ...query, by: 'type' })
  const { data: runs } = useNumbers<ApiNumbers['runs']>('runs', query)
  const { data: times } = useNumbers<ApiNumbers['times']>('times', query)
  const sum = <Row,>(rows: readonly Row[] | undefined, value: (row: Row) => number): string =>
    rows === undefined ? '…' : rows.reduce((all, row) => all + value(row), 0).toLocaleString()
  const typical = (measure: string): string => {
    const found = times?.data.find((row) => row.at === null && row.measure === measure)
    return found?.p50_ms == null ? '–' : durationText(found.p50_ms)
  }
  return (
    <dl className="number-tiles">
      <Tile name="Alerts" value={sum(alerts?.data, (row) => row.alerts)} />
      <Tile name="Repeats" value={sum(alerts?.data, (row) => row.repeats)} />
      <Tile name="Runs" value={sum(runs?.data, (row) => row.completed + row.failed + row.cancelled)} />
      <Tile name="Failed runs" value={sum(runs?.data, (row) => row.failed)} />
      <Tile name="Median to decision" value={typical('decision')} />
      <Tile name="Median to close" value={typical('close')} />
    </dl>
  )
}

function Tile({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <Paper withBorder px="md" py="sm">
      <dt>{name}</dt>
      <dd>{value}</dd>
    </Paper>
  )
}

const alertSeries = (rows: readonly ApiNumbers['alerts'][], starts: readonly number[]): readonly Series[] => {
  const repeats = seriesOf(
    starts,
    rows.map(({ at, repeats: value }) => ({ at, name: 'Repeats', value })),
    { blank: 0 },
  )
  const alerts = rows.map(({ at, name, alerts: value }) => ({
    at,
    name: name === '' ? '(none)' : name,
    value,
  }))
  return [
    ...seriesOf(starts, alerts, { blank: 0 }),
    ...repeats.filter(({ values }) => values.some((value) => value !== 0)),
  ]
}

interface AlertNumbersProps extends NumbersProps {
  readonly by: string
  readonly onBy: (by: string | null) => void
}

function AlertNumbers({ query, by, onBy }: AlertNumbersProps) {
  const asked = useMemo(() => ({ ...query, by }), [query, by])
  const found = useNumbers<ApiNumbers['alerts']>('alerts', asked)
  return (
    <ChartSection
      title="Alerts"
      kind="bar"
      found={found}
      seriesIn={alertSeries}
      table="alerts"
      query={asked}
      actions={
        <Select
          aria-label="Alerts by"
          size="xs"
          w={130}
          data={dimensions}
          value={by}
          onChange={(next) => onBy(next === 'type' ? null : next)}
          allowDeselect={false}
        />
      }
    />
  )
}

const measureNames: Readonly<Record<string, string>> = {
  action: 'First action',
  decision: 'Decision',
  close: 'Close',
  answer: 'Answer to a question',
}

const timeSeries = (rows: readonly ApiNumbers['times'][], starts: readonly number[]): readonly Series[] =>
  seriesOf(
    starts,
    rows
      .filter(({ at }) => at !== null)
      .map(({ at, measure, p50_ms: value }) => ({ at, name: measureNames[measure] ?? measure, value })),
  )

const timeColumns: readonly SmallColumn<ApiNumbers['times']>[] = [
  { title: 'Time to', cell: ({ measure }) => measureNames[measure] ?? measure },
  { title: 'Count', isNumber: true, cell: ({ count }) => count.toLocaleString() },
  { title: 'Mean', isNumber: true, cell: (row) => timeText(row.mean_ms) },
  { title: 'Median', isNumber: true, cell: (row) => timeText(row.p50_ms) },
  { title: '90 % within', isNumber: true, cell: (row) => timeText(row.p90_ms) },
  { title: '95 % within', isNumber: true, cell: (row) => timeText(row.p95_ms) },
]

const timeText = (ms: number | null): string => (ms === null ? '–' : durationText(ms))

function TimeNumbers({ query }: NumbersProps) {
  const found = useNumbers<ApiNumbers['times']>('times', query)
  return (
    <>
      <TableSection
        title="Times"
        found={found}
        columns={timeColumns}
        idOf={({ measure }) => measure}
        only={({ at }) => at === null}
        table="times"
        query={query}
      />
      <ChartSection
        title="Median times"
        kind="line"
        found={found}
        seriesIn={timeSeries}
        format={durationText}
        table="times"
        query={query}
      />
    </>
  )
}

const outcomes = ['completed', 'failed', 'cancelled'] as const

const runSeries = (rows: readonly ApiNumbers['runs'][], starts: readonly number[]): readonly Series[] =>
  seriesOf(
    starts,
    rows.flatMap((row) =>
      outcomes.filter((name) => row[name] > 0).map((name) => ({ at: row.at, name, value: row[name] })),
    ),
    { blank: 0 },
  )

const failureColumns: readonly SmallColumn<ApiNumbers['failures']>[] = [
  { title: 'Cause', cell: ({ cause }) => <OutsideText text={cause} /> },
  { title: 'Playbook', cell: ({ playbook }) => playbook },
  { title: 'Runs', isNumber: true, cell: ({ runs }) => runs.toLocaleString() },
]

/** The runs of each playbook in the whole range. */
function byPlaybook(rows: readonly ApiNumbers['runs'][]): readonly ApiNumbers['runs'][] {
  return Array.from(
    Map.groupBy(rows, ({ playbook }) => playbook),
    ([playbook, all]) => {
      const sum = (name: (typeof outcomes)[number]): number => all.reduce((n, row) => n + row[name], 0)
      const timed = all.filter((row) => row.mean_ms !== null)
      const weight = (row: ApiNumbers['runs']): number => row.completed + row.failed + row.cancelled
      const runs = timed.reduce((n, row) => n + weight(row), 0)
      const total = timed.reduce((n, row) => n + (row.mean_ms ?? 0) * weight(row), 0)
      const mean = runs === 0 ? null : Math.round(total / runs)
      return {
        at: 0,
        playbook,
        completed: sum('completed'),
        failed: sum('failed'),
        cancelled: sum('cancelled'),
        mean_ms: mean,
      }
    },
  ).toSorted((a, b) => b.completed + b.failed - a.completed - a.failed)
}

const runColumns: readonly SmallColumn<ApiNumbers['runs']>[] = [
  { title: 'Playbook', cell: ({ playbook }) => playbook },
  { title: 'Completed', isNumber: true, cell: ({ completed }) => completed.toLocaleString() },
  { title: 'Failed', isNumber: true, cell: ({ failed }) => failed.toLocaleString() },
  { title: 'Cancelled', isNumber: true, cell: ({ cancelled }) => cancelled.toLocaleString() },
  { title: 'Mean duration', isNumber: true, cell: (row) => timeText(row.mean_ms) },
]

function RunNumbers({ query }: NumbersProps) {
  const found = useNumbers<ApiNumbers['runs']>('runs', query)
  const failures = useNumbers<ApiNumbers['failures']>('failures', query)
  const { data } = found
  const sums = useMemo(() => data && { ...data, data: byPlaybook(data.data) }, [data])
  return (
    <>
      <ChartSection title="Runs" kind="bar" found={found} seriesIn={runSeries} table="runs" query={query} />
      <TableSection
        title="Runs by playbook"
        found={{ ...found, data: sums } as typeof found}
        columns={runColumns}
        idOf={({ playbook }) => playbook}
        table="runs"
        query={query}
      />
      <TableSection
        title="Failures by cause"
        found={failures}
        columns={failureColumns}
        idOf={({ cause, playbook }) => `${cause} ${playbook}`}
        table="failures"
        query={query}
      />
    </>
  )
}

const ruleColumns: readonly SmallColumn<ApiNumbers['rules']>[] = [
  { title: 'Alert type', cell: ({ type }) => <OutsideText text={type === '' ? '(none)' : type} /> },
  { title: 'Provider', isNarrow: true, cell: ({ provider }) => provider },
  { title: 'Alerts', isNumber: true, cell: ({ alerts }) => alerts.toLocaleString() },
  { title: 'Repeats', isNumber: true, cell: ({ repeats }) => repeats.toLocaleString() },
  { title: 'Saved by grouping', isNumber: true, cell: (row) => `${row.saved_percent} %` },
]
const questionColumns: readonly SmallColumn<ApiNumbers['questions']>[] = [
  { title: 'Outcome', cell: ({ state }) => state.replaceAll('_', ' ') },
  { title: 'Answer', cell: ({ answer }) => <OutsideText text={answer} /> },
  { title: 'Questions', isNumber: true, cell: ({ questions }) => questions.toLocaleString() },
]
const containmentColumns: readonly SmallColumn<ApiNumbers['containments']>[] = [
  { title: 'Action', cell: ({ skill }) => skill },
  { title: 'State', cell: ({ state }) => state.replaceAll('_', ' ') },
  { title: 'Containments', isNumber: true, cell: (row) => row.containments.toLocaleString() },
]

function OtherNumbers({ query }: NumbersProps) {
  const rules = useNumbers<ApiNumbers['rules']>('rules', query)
  const questions = useNumbers<ApiNumbers['questions']>('questions', query)
  const containments = useNumbers<ApiNumbers['containments']>('containments', query)
  return (
    <>
      <TableSection
        title="Noisiest alert types"
        found={rules}
        columns={ruleColumns}
        idOf={({ provider, type }) => `${provider} ${type}`}
        table="rules"
        query={query}
      />
      <TableSection
        title="Questions"
        found={questions}
        columns={questionColumns}
        idOf={({ state, answer }) => `${state} ${answer}`}
        table="questions"
        query={query}
      />
      <TableSection
        title="Containments"
        found={containments}
        columns={containmentColumns}
        idOf={({ skill, state }) => `${skill} ${state}`}
        table="containments"
        query={query}
      />
    </>
  )
}
