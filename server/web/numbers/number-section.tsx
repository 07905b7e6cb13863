import { Button, Group, Stack, Text } from '@mantine/core'
import { DownloadIcon } from 'lucide-react'
import type { UseQueryResult } from '@tanstack/react-query'
import { lazy, Suspense, useMemo, type ReactNode } from 'react'
import { addressOf, type Query } from '../api/call.ts'
import { ErrorAlert } from '../parts/feedback.tsx'
import { Section } from '../parts/layout.tsx'
import { SmallTable, type SmallColumn } from '../parts/small-table.tsx'
import { showInvisible } from '../parts/outside-text.ts'
import { isoOf, useZone, wholeTime } from '../parts/time.ts'
import type { ChartProps } from './chart.tsx'
import { startsOf, type Series } from './series.ts'
import type { NumberTable } from './use-numbers.ts'

const NumberChart = lazy(() => import('./chart.tsx'))

interface CsvProps {
  readonly table: string
  readonly query: Query
}

function CsvLink({ table, query }: CsvProps) {
  return (
    <Button
      component="a"
      href={addressOf(`/numbers/${table}`, { ...query, format: 'csv' })}
      download={`${table}.csv`}
      size="compact-xs"
      variant="default"
      leftSection={<DownloadIcon />}
    >
      CSV
    </Button>
  )
}

interface ChartSectionProps<Row> extends CsvProps, Pick<ChartProps, 'kind' | 'format'> {
  readonly title: string
  readonly found: UseQueryResult<NumberTable<Row>>
  /** The same object while the rows are the same. */
  readonly seriesIn: (rows: readonly Row[], starts: readonly number[]) => readonly Series[]
  readonly actions?: ReactNode
}

/** Numbers over time: a chart, and a table with the same numbers. */
export function ChartSection<Row>(props: ChartSectionProps<Row>) {
  const { title, found, seriesIn, actions, table, query, kind, format = (n) => n.toLocaleString() } = props
  const zone = useZone()
  const { data } = found
  const drawn = useMemo(() => {
    if (data === undefined) return undefined
    const starts = startsOf(data)
    const series = seriesIn(data.data, starts).map((each) => ({ ...each, name: showInvisible(each.name) }))
    const labels = starts.map((at) => periodText(at, data.period_ms, zone))
    return { series, labels }
  }, [data, seriesIn, zone])
  return (
    <Section
      title={title}
      actions={
        <Group gap="xs">
          {actions}
          <CsvLink table={table} query={query} />
        </Group>
      }
    >
      {found.isLoadingError && <ErrorAlert error={found.error} onRetry={() => void found.refetch()} />}
      {drawn !== undefined &&
        (drawn.series.length === 0 ? (
          <Text size="sm" c="dimmed">
            Nothing in this time
          </Text>
        ) : (
          <Stack gap="sm">
            <Suspense fallback={<div className="number-chart" />}>
              <NumberChart label={title} kind={kind} format={format} {...drawn} />
            </Suspense>
            <details className="number-table">
              <summary>Show as table</summary>
              <SeriesTable title={title} {...drawn} format={format} />
            </details>
          </Stack>
        ))}
    </Section>
  )
}

/** Times of periods: days are UTC. */
function periodText(at: number, period: number, zone: Parameters<typeof wholeTime>[1]): string {
  return period >= 86_400_000 ? isoOf(at).slice(0, 10) : wholeTime(at, zone).slice(5, 16)
}

interface SeriesTableProps extends Required<Pick<ChartProps, 'labels' | 'series' | 'format'>> {
  readonly title: string
}

function SeriesTable({ title, labels, series, format }: SeriesTableProps) {
  const rows = labels.map((label, at) => ({ label, values: series.map(({ values }) => values[at] ?? null) }))
  const columns: SmallColumn<(typeof rows)[number]>[] = [
    { title: 'Time', isNarrow: true, cell: ({ label }) => label },
    ...series.map(({ name }, at) => ({
      title: name,
      isNumber: true,
      cell: ({ values }: (typeof rows)[number]) => {
        const value = values[at] ?? null
        return value === null ? '' : format(value)
      },
    })),
  ]
  return (
    <SmallTable
      title={`${title}, as a table`}
      rows={rows}
      columns={columns}
      idOf={({ label }) => label}
      empty="None"
      mah={320}
    />
  )
}

interface TableSectionProps<Row> extends CsvProps {
  readonly title: string
  readonly found: UseQueryResult<NumberTable<Row>>
  readonly columns: readonly SmallColumn<Row>[]
  readonly idOf: (row: Row) => string
  readonly only?: (row: Row) => boolean
}

/** A table of numbers. */
export function TableSection<Row>({ title, found, columns, idOf, only, ...csv }: TableSectionProps<Row>) {
  if (found.isLoadingError) return <ErrorAlert error={found.error} onRetry={() => void found.refetch()} />
  const rows = found.data?.data ?? []
  return (
    <SmallTable
      title={title}
      actions={<CsvLink {...csv} />}
      rows={only === undefined ? rows : rows.filter((row) => only(row))}
      columns={columns}
      idOf={idOf}
      empty={found.isPending ? 'Loading …' : 'Nothing in this time'}
      mah={420}
    />
  )
}
