import { useMemo } from 'react'
import type { ApiNumbers } from '../api/types.ts'
import type { SmallColumn } from '../parts/small-table.tsx'
import { OutsideText } from '../parts/text-view.tsx'
import { ChartSection, TableSection } from './number-section.tsx'
import { seriesOf, type Series } from './series.ts'
import { shownDuration, useNumbers, type NumbersProps } from './use-numbers.ts'

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
  { title: 'Mean duration', isNumber: true, cell: (row) => shownDuration(row.mean_ms) },
]

/** Runs by outcome, playbook and cause. */
export function RunSections({ query }: NumbersProps) {
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

/** Noisy alert types, questions and containments. */
export function OtherSections({ query }: NumbersProps) {
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
