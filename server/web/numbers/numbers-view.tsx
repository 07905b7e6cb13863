import { Group, Paper, Select, Stack } from '@mantine/core'
import { useMemo } from 'react'
import { useOrganizations } from '../api/lookups.ts'
import type { ApiNumbers } from '../api/types.ts'
import { ChoiceFilter, LookupFilter } from '../lists/filters.tsx'
import { useFilters } from '../lists/use-filters.ts'
import type { SmallColumn } from '../parts/small-table.tsx'
import { durationText, useNow } from '../parts/time.ts'
import { ViewHead } from '../shell/view.tsx'
import { ChartSection, TableSection } from './number-section.tsx'
import { OtherSections, RunSections } from './run-numbers.tsx'
import { seriesOf, type Series } from './series.ts'
import { shownDuration, useNumbers, type NumbersProps } from './use-numbers.ts'
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
      <RunSections query={query} />
      <OtherSections query={query} />
    </Stack>
  )
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
  { title: 'Mean', isNumber: true, cell: (row) => shownDuration(row.mean_ms) },
  { title: 'Median', isNumber: true, cell: (row) => shownDuration(row.p50_ms) },
  { title: '90 % within', isNumber: true, cell: (row) => shownDuration(row.p90_ms) },
  { title: '95 % within', isNumber: true, cell: (row) => shownDuration(row.p95_ms) },
]

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
