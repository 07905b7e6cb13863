import { Button } from '@mantine/core'
import { PlayIcon } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { useLocation } from 'wouter'
import { useOrganizations } from '../api/lookups.ts'
import type { ApiRun } from '../api/types.ts'
import { ChoiceFilter, LookupFilter, TextFilter } from '../lists/filters.tsx'
import { ListView } from '../lists/list-page.tsx'
import { TimeFilter, timeNames } from '../lists/time-filter.tsx'
import { useSelection } from '../lists/use-table.ts'
import { sortedBy, useFilters } from '../lists/use-filters.ts'
import { selectOptions, runStatusLooks, RunStatusBadge } from '../parts/states.tsx'
import { serverTime, durationText } from '../parts/time.ts'
import { useMay } from '../session/session.ts'
import { failedFilter, type RetryChoice } from './retries.ts'
import { RowLink, type Column } from '../lists/data-row.tsx'
import { showInvisible } from '../parts/outside-text.ts'
import { TableTime } from '../parts/times.tsx'

const RetryMany = lazy(() => import('./many/retry-many.tsx'))

const idOf = (run: ApiRun): string => run.run_uuid
const names = [
  'status',
  'organization',
  'playbook',
  'alert',
  'case',
  'observable',
  'error',
  ...timeNames,
  'sort',
] as const

/** All runs. Failed ones can be retried together. */
export default function RunsView() {
  const [, navigate] = useLocation()
  const { filters, of, choose } = useFilters(names)
  const organizations = useOrganizations()
  const mayRetry = useMay('runs:write')
  const { sort: _, ...narrowing } = filters
  const selection = useSelection(narrowing)
  return (
    <ListView
      title="Runs"
      icon={PlayIcon}
      path="/runs"
      query={filters}
      columns={runColumns}
      idOf={idOf}
      onOpen={(run) => navigate(`/runs/${run.run_uuid}`)}
      {...sortedBy('-created_at', { filters, choose })}
      {...(mayRetry && {
        selection,
        actions: (
          <RetryButtons
            chosen={selection.ids}
            filters={filters}
            onDone={() => selection.onChange(new Set())}
          />
        ),
      })}
      savedAs="runs"
      filters={
        <>
          <ChoiceFilter label="Status" data={selectOptions(runStatusLooks)} {...of('status')} />
          <LookupFilter label="Organization" lookup={organizations} {...of('organization')} />
          <TextFilter label="Playbook" {...of('playbook')} />
          <TextFilter label="Alert" {...of('alert')} />
          <TextFilter label="Case" {...of('case')} />
          <TextFilter label="Observable" {...of('observable')} />
          <TextFilter label="Error code" {...of('error')} />
          <TimeFilter label="Queued" range={filters} onChange={choose} />
        </>
      }
      empty="No matching runs"
    />
  )
}

interface RetryButtonProps {
  readonly chosen: ReadonlySet<string>
  /** Filters of the list. */
  readonly filters: Partial<Record<(typeof names)[number], string>>
  readonly onDone: () => void
}

/** Retries the selected runs, or all failed runs that match the filters, also those that are not loaded. */
function RetryButtons({ chosen, filters, onDone }: RetryButtonProps) {
  const [opened, setOpened] = useState<{ readonly choice: RetryChoice; readonly isSelection: boolean }>()
  const filter = failedFilter(filters, serverTime())
  const count = chosen.size
  return (
    <>
      {count > 0 && (
        <Button size="xs" onClick={() => setOpened({ choice: { runs: [...chosen] }, isSelection: true })}>
          Retry {count.toLocaleString()} selected …
        </Button>
      )}
      {filter !== undefined && (
        <Button
          size="xs"
          variant={count > 0 ? 'default' : 'filled'}
          onClick={() => setOpened({ choice: { filter }, isSelection: false })}
        >
          Retry all matching …
        </Button>
      )}
      {opened !== undefined && (
        <Suspense fallback={null}>
          <RetryMany
            choice={opened.choice}
            onClose={() => setOpened(undefined)}
            onDone={() => opened.isSelection && onDone()}
          />
        </Suspense>
      )}
    </>
  )
}

const runColumns: readonly Column<ApiRun>[] = [
  {
    title: 'PLAYBOOK',
    width: 'minmax(150px, 1.2fr)',
    cell: (run) => <RowLink href={`/runs/${run.run_uuid}`} text={run.playbook} isMain />,
  },
  { title: 'STATUS', width: '96px', cell: ({ status }) => <RunStatusBadge status={status} /> },
  { title: 'ORG', width: 'minmax(50px, 0.4fr)', cell: (run) => run.organization_code },
  {
    title: 'ALERT',
    width: 'minmax(150px, 0.9fr)',
    cell: ({ alert_id: id }) => id !== null && <RowLink href={`/alerts/${id}`} text={id.toUpperCase()} />,
  },
  {
    title: 'CASE',
    width: 'minmax(70px, 0.5fr)',
    cell: ({ case_id: id }) => id !== null && <RowLink href={`/cases/${id}`} text={id.toUpperCase()} />,
  },
  {
    title: 'QUEUED',
    width: '94px',
    sort: 'created_at',
    cell: (run) => <TableTime at={run.created_at} />,
  },
  {
    title: 'DURATION',
    width: '84px',
    isNumber: true,
    cell: ({ started_at: from, ended_at: to }) => from !== null && to !== null && durationText(to - from),
  },
  {
    title: 'ERROR',
    width: 'minmax(160px, 2fr)',
    cell: ({ error, retried_by: after }) => {
      const message = error !== null && showInvisible(error.message)
      if (after === null) return message
      return (
        <span className="data-table-text" title={message || undefined}>
          <RowLink href={`/runs/${after}`} text="Retried" isInline />
          {message !== false && <>: {message}</>}
        </span>
      )
    },
  },
]
