import { BellIcon } from '@radix-ui/react-icons'
import { useMemo, useState } from 'react'
import { useLocation } from 'wouter'
import { problemOf } from '../api/problem.ts'
import type { Alert } from '../api/types.ts'
import { ClearFilters } from '../lists/filters/clear-filters.tsx'
import { DataTable } from '../lists/table/data-table.tsx'
import { ListFrame } from '../lists/page/list-frame.tsx'
import { useChoice } from '../lists/table/use-choice.ts'
import { useFilters } from '../lists/filters/use-filters.ts'
import { useIsNarrow } from '../lists/table/use-is-narrow.ts'
import { useList } from '../lists/rows/use-list.ts'
import { Empty } from '../parts/states/empty.tsx'
import { useMay } from '../session/session.ts'
import { alertColumns } from './alert-columns.tsx'
import { AlertFilters, filterNames } from './alert-filters.tsx'
import { ContentDrawer } from './content-drawer.tsx'
import { FirstAlert } from './first-alert.tsx'
import { RetryChosen } from './retry-chosen.tsx'

const idOf = (alert: Alert): string => alert.alert_id
const newestFirst = '-created_at'

export default function AlertsView() {
  const [, navigate] = useLocation()
  const { filters, choose, of } = useFilters(filterNames)
  const mayRetry = useMay('analyst', 'admin')
  const { sort = newestFirst, ...narrowing } = filters
  const selection = useChoice(narrowing)
  const query = useMemo(() => ({ ...filters, content: 'preview' }), [filters])
  const list = useList<Alert>({ path: '/alerts', query, idOf })
  // As it was when it was opened: what is read stays, also when its row leaves the list.
  const [peeked, peek] = useState<Alert>()
  const isNarrow = useIsNarrow()
  const columns = useMemo(() => alertColumns(peek, isNarrow), [isNarrow])
  const at = list.rows.findIndex((row) => row.alert_id === peeked?.alert_id)
  const [above, below] = at === -1 ? [] : [list.rows[at - 1], list.rows[at + 1]]
  const isNarrowed = Object.keys(narrowing).length > 0
  if (list.isSuccess && list.rows.length === 0 && !isNarrowed) return <FirstAlert />
  return (
    <ListFrame
      title="Alerts"
      list={list}
      filters={<AlertFilters of={of} times={filters} onTimes={choose} />}
      actions={
        mayRetry && (
          <RetryChosen
            chosen={list.rows.filter((row) => selection.ids.has(idOf(row)))}
            onDone={() => selection.onChange(new Set())}
          />
        )
      }
    >
      <DataTable
        label="Alerts"
        rows={list.rows}
        columns={columns}
        idOf={idOf}
        onOpen={({ alert_id: id }) => navigate(`/alerts/${id}`)}
        listed={JSON.stringify(query)}
        isPending={list.isPending}
        onPeek={peek}
        {...list.more}
        sort={sort}
        onSort={(by) => choose({ sort: by === newestFirst ? null : by })}
        {...(mayRetry && { selection })}
        empty={<NothingFits error={list.error} />}
      />
      <ContentDrawer
        row={list.rows[at] ?? peeked}
        onClose={() => peek(undefined)}
        onPrevious={above && (() => peek(above))}
        onNext={below && (() => peek(below))}
      />
    </ListFrame>
  )
}

function NothingFits({ error }: { readonly error: unknown }) {
  if (error !== null) return <Empty>{problemOf(error).title}</Empty>
  return (
    <Empty icon={BellIcon} action={<ClearFilters />}>
      No matching alerts
    </Empty>
  )
}
