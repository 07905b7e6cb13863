import '../lists/list-page.css'
import { Anchor, Button, Group, Text } from '@mantine/core'
import { BellIcon } from '@radix-ui/react-icons'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { problemOf } from '../api/problem.ts'
import type { Alert } from '../api/types.ts'
import { DataTable, type Column } from '../lists/data-table.tsx'
import { useFilters } from '../lists/use-filters.ts'
import { useList } from '../lists/use-list.ts'
import { Empty } from '../parts/empty.tsx'
import { Refusal } from '../parts/refusal.tsx'
import { AlertStatus } from '../parts/states.tsx'
import { Time } from '../parts/times.tsx'
import { useMay } from '../session/session.ts'
import { ViewTitle } from '../shell/view-title.tsx'
import { AlertFilters, filterNames } from './alert-filters.tsx'
import { FirstAlert } from './first-alert.tsx'
import { RetryChosen } from './retry-chosen.tsx'

const stop = { onClick: (event: { stopPropagation: () => void }) => event.stopPropagation() }

/** Exactly the columns of the specification, in its order. */
const columns: readonly Column<Alert>[] = [
  {
    title: 'ID',
    width: 'minmax(160px, 1.3fr)',
    cell: ({ alert_id: id }) => (
      <Anchor component={Link} href={`/alerts/${id}`} size="sm" fw={600} tabIndex={-1} {...stop}>
        {id.toUpperCase()}
      </Anchor>
    ),
  },
  { title: 'ORG', width: 'minmax(56px, 0.4fr)', cell: (alert) => alert.organization_code },
  { title: 'PROVIDER', width: 'minmax(90px, 0.7fr)', cell: (alert) => alert.alert_provider },
  { title: 'ALERT NAME', width: 'minmax(125px, 1.2fr)', cell: (alert) => alert.alert_type },
  {
    title: 'STATUS',
    width: '100px',
    sort: 'investigation_status',
    cell: (alert) => <AlertStatus status={alert.investigation_status} />,
  },
  {
    title: 'CREATION TIME',
    width: '152px',
    sort: 'created_at',
    cell: (alert) => <Time at={alert.created_at} />,
  },
  { title: 'INVESTIGATOR', width: 'minmax(120px, 1fr)', cell: (alert) => alert.investigator },
  {
    title: 'CASE ID',
    width: 'minmax(76px, 0.5fr)',
    cell: ({ case_id: id }) =>
      id !== null && (
        <Anchor component={Link} href={`/cases/${id}`} size="sm" tabIndex={-1} {...stop}>
          {id.toUpperCase()}
        </Anchor>
      ),
  },
  { title: 'COMPLETION TIME', width: '152px', cell: (alert) => <Time at={alert.completed_at} /> },
  {
    title: 'Content',
    width: '60px',
    cell: ({ alert_id: id }) => (
      <Anchor component={Link} href={`/alerts/${id}#content`} size="sm" tabIndex={-1} {...stop}>
        Show
      </Anchor>
    ),
  },
]

const idOf = (alert: Alert): string => alert.alert_id
const newestFirst = '-created_at'

export default function AlertsView() {
  const [, navigate] = useLocation()
  const { filters, set, of, clear } = useFilters(filterNames)
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const mayRetry = useMay('analyst', 'admin')
  const sort = filters.sort ?? newestFirst
  const list = useList<Alert>({ path: '/alerts', query: filters, idOf, isNewestFirst: sort === newestFirst })
  const { sort: _, ...narrowing } = filters
  const isNarrowed = Object.keys(narrowing).length > 0
  if (list.isSuccess && list.rows.length === 0 && !isNarrowed) return <FirstAlert />
  return (
    <div className="list-page">
      <Group justify="space-between">
        <Group gap="sm" align="baseline">
          <ViewTitle>Alerts</ViewTitle>
          {list.total !== undefined && (
            <Text c="dimmed" size="sm" aria-live="polite">
              {list.total.toLocaleString()}
            </Text>
          )}
        </Group>
        {mayRetry && chosen.size > 0 && <RetryChosen ids={[...chosen]} onDone={() => setChosen(new Set())} />}
      </Group>
      <AlertFilters of={of} />
      {list.isError && <Refusal error={list.error} onRetry={() => void list.refetch()} />}
      <DataTable
        label="Alerts"
        rows={list.rows}
        columns={columns}
        idOf={idOf}
        onOpen={({ alert_id: id }) => navigate(`/alerts/${id}`)}
        isPending={list.isPending}
        hasMore={list.hasNextPage}
        isLoadingMore={list.isFetchingNextPage}
        onMore={() => void list.fetchNextPage()}
        sort={sort}
        onSort={(by) => set('sort', by === newestFirst ? null : by)}
        {...(mayRetry && { selection: { ids: chosen, onChange: setChosen } })}
        empty={<NothingFits error={list.error} onClear={clear} />}
      />
    </div>
  )
}

interface NothingFitsProps {
  readonly error: unknown
  readonly onClear: () => void
}

function NothingFits({ error, onClear }: NothingFitsProps) {
  if (error !== null) return <Empty>{problemOf(error).title}</Empty>
  return (
    <Empty
      icon={BellIcon}
      action={
        <Button size="xs" variant="default" onClick={onClear}>
          Show all
        </Button>
      }
    >
      No alert fits these filters.
    </Empty>
  )
}
