import { Button, Group } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { PlayIcon } from '@radix-ui/react-icons'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { useOrganizations } from '../api/lookups.ts'
import type { ApiRun } from '../api/types.ts'
import { ChoiceFilter, LookupFilter, TextFilter } from '../lists/filters.tsx'
import { ListView } from '../lists/list-page.tsx'
import { SavedMenu } from '../lists/saved/saved-menu.tsx'
import { TimeFilter, timeNames } from '../lists/time-filter.tsx'
import { useSelection } from '../lists/use-table.ts'
import { useFilters } from '../lists/use-filters.ts'
import { selectOptions, runStatusLooks, RunStatusBadge } from '../parts/states.tsx'
import { serverTime, durationText } from '../parts/time.ts'
import { useMay } from '../session/session.ts'
import { failedFilter, type RetryChoice } from './retries.ts'
import { RetryMany } from './retry-many.tsx'
import { RowLink, type Column } from '../lists/data-row.tsx'
import { showInvisible } from '../parts/outside-text.ts'
import { TableTime } from '../parts/times.tsx'

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
const newestFirst = '-created_at'

/** Limit of the API. */
const maxRetries = 100

/** All runs. Failed ones can be retried together. */
export default function RunsView() {
  const [, navigate] = useLocation()
  const { filters, of, choose } = useFilters(names)
  const organizations = useOrganizations()
  const mayRetry = useMay('runs:write')
  const { sort = newestFirst, ...narrowing } = filters
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
      sort={sort}
      onSort={(by) => choose({ sort: by === newestFirst ? null : by })}
      {...(mayRetry && {
        selection,
        actions: (
          <RetryButton
            chosen={selection.ids}
            filters={filters}
            onDone={() => selection.onChange(new Set())}
          />
        ),
      })}
      filters={
        <Group gap="xs">
          <ChoiceFilter label="Status" data={selectOptions(runStatusLooks)} {...of('status')} />
          <LookupFilter label="Organization" lookup={organizations} {...of('organization')} />
          <TextFilter label="Playbook" {...of('playbook')} />
          <TextFilter label="Alert" {...of('alert')} />
          <TextFilter label="Case" {...of('case')} />
          <TextFilter label="Observable" {...of('observable')} />
          <TextFilter label="Error code" {...of('error')} />
          <TimeFilter label="Queued" range={filters} onChange={choose} />
          <SavedMenu view="runs" />
        </Group>
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

/** Retries the selected runs; without a selection, all failed runs of the listed playbook. */
function RetryButton({ chosen, filters, onDone }: RetryButtonProps) {
  const [opened, { open, close }] = useDisclosure()
  // A copy, so that the preview does not change.
  const [looked, look] = useState<RetryChoice>()
  const count = Math.min(chosen.size, maxRetries)
  const choose = (): RetryChoice | undefined => {
    if (count > 0) return { runs: [...chosen].slice(0, maxRetries) }
    const filter = failedFilter(filters, serverTime())
    return filter && { filter }
  }
  const canRetry = choose() !== undefined
  return (
    <>
      {canRetry && (
        <Button
          size="xs"
          onClick={() => {
            look(choose())
            open()
          }}
        >
          Retry {count > 0 ? `${count} selected` : `all failed runs of ${filters.playbook}`} …
        </Button>
      )}
      {looked !== undefined && (
        <RetryMany
          choice={looked}
          opened={opened}
          onClose={close}
          onDone={() => {
            close()
            onDone()
          }}
        />
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
