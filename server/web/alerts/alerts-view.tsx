import { BellIcon } from 'lucide-react'
import { Fragment, lazy, useMemo, useState, type ComponentProps, type ReactNode } from 'react'
import { useLocation } from 'wouter'
import { Group } from '@mantine/core'
import { apiProblem } from '../api/problem.ts'
import type { ApiAlert } from '../api/types.ts'
import { ClearFilters, ChoiceFilter, LookupFilter, TextFilter } from '../lists/filters.tsx'
import { DataTable } from '../lists/data-table.tsx'
import { ListFrame } from '../lists/list-page.tsx'
import { useSelection, useIsNarrow } from '../lists/use-table.ts'
import { useFilters } from '../lists/use-filters.ts'
import { useList } from '../lists/use-list.ts'
import { Empty, WhenNeeded } from '../parts/layout.tsx'
import { useMay } from '../session/session.ts'
import { useOrganizations, useProviders } from '../api/lookups.ts'
import { useColumns } from '../lists/columns/columns-menu.tsx'
import { SavedMenu } from '../lists/saved/saved-menu.tsx'
import { TimeFilter, timeNames } from '../lists/time-filter.tsx'
import type { ListTimes } from '../lists/time-range.ts'
import { alertStatusLooks, AlertStatusBadge } from '../parts/states.tsx'
import { RowLink, type Column } from '../lists/data-row.tsx'
import { showInvisible } from '../parts/outside-text.ts'
import { TableTime } from '../parts/times.tsx'

const ContentDrawer = lazy(() => import('./content-drawer.tsx'))
const FirstAlert = lazy(() => import('./first-alert.tsx'))
const InvestigateSelected = lazy(() => import('./investigate.tsx'))

const idOf = (alert: ApiAlert): string => alert.alert_id
const newestFirst = '-created_at'

export default function AlertsView() {
  const [, navigate] = useLocation()
  const { filters, choose, of } = useFilters(filterNames)
  const mayRetry = useMay('runs:write')
  const { sort = newestFirst, ...narrowing } = filters
  const selection = useSelection(narrowing)
  const query = useMemo(() => ({ ...filters, content: 'preview' }), [filters])
  const list = useList<ApiAlert>({ path: '/alerts', query, idOf })
  // A copy, so that the drawer keeps the alert when its row leaves the list.
  const [peeked, peek] = useState<ApiAlert>()
  const isNarrow = useIsNarrow()
  const columns = useMemo(() => alertColumns(peek, isNarrow), [isNarrow])
  const { shown, menu } = useColumns('alerts', columns)
  const at = list.rows.findIndex((row) => row.alert_id === peeked?.alert_id)
  const [above, below] = at === -1 ? [] : [list.rows[at - 1], list.rows[at + 1]]
  const isNarrowed = Object.keys(narrowing).length > 0
  if (list.isSuccess && list.rows.length === 0 && !isNarrowed) return <FirstAlert />
  return (
    <ListFrame
      title="Alerts"
      list={list}
      filters={<AlertFilters of={of} times={filters} onTimes={choose} columnsMenu={menu} />}
      actions={
        mayRetry && (
          <WhenNeeded isNeeded={selection.ids.size > 0}>
            <InvestigateSelected
              chosen={list.rows.filter((row) => selection.ids.has(idOf(row)))}
              onDone={() => selection.onChange(new Set())}
            />
          </WhenNeeded>
        )
      }
    >
      <DataTable
        label="Alerts"
        rows={list.rows}
        columns={shown}
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
      <WhenNeeded isNeeded={peeked !== undefined}>
        <ContentDrawer
          row={list.rows[at] ?? peeked}
          onClose={() => peek(undefined)}
          onPrevious={above && (() => peek(above))}
          onNext={below && (() => peek(below))}
        />
      </WhenNeeded>
    </ListFrame>
  )
}

function NothingFits({ error }: { readonly error: unknown }) {
  if (error !== null) return <Empty>{apiProblem(error).title}</Empty>
  return (
    <Empty icon={BellIcon} action={<ClearFilters />}>
      No matching alerts
    </Empty>
  )
}

/** Filters in the URL: query parameters of GET alerts, and `since`, a time span up to now. */
const filterNames = [
  'q',
  'organization',
  'provider',
  'status',
  'type',
  'case',
  'observable',
  ...timeNames,
  'sort',
] as const

type FilterName = (typeof filterNames)[number]

interface AlertFiltersProps {
  readonly of: ReturnType<typeof useFilters<FilterName>>['of']
  readonly times: ListTimes
  readonly onTimes: ComponentProps<typeof TimeFilter>['onChange']
  readonly columnsMenu: ReactNode
}

const statuses = Object.entries(alertStatusLooks).map(([value, { text }]) => ({ value, label: text }))

function AlertFilters({ of, times, onTimes, columnsMenu }: AlertFiltersProps) {
  const organizations = useOrganizations()
  const providers = useProviders()
  return (
    <Group gap="xs">
      <TextFilter label="Search alerts" placeholder="Search id, name, content" {...of('q')} />
      <LookupFilter label="Organization" lookup={organizations} {...of('organization')} />
      <LookupFilter label="Provider" lookup={providers} {...of('provider')} />
      <ChoiceFilter label="Status" data={statuses} {...of('status')} />
      <TextFilter label="Alert name" {...of('type')} />
      <TextFilter label="Case" {...of('case')} />
      <TextFilter label="Observable" {...of('observable')} />
      <TimeFilter label="Created" range={times} onChange={onTimes} />
      <SavedMenu view="alerts" />
      {columnsMenu}
    </Group>
  )
}

/**
 * Exactly the columns of the specification, in its order, for a window of 1280 pixels. On narrow pages, the
 * columns that the id repeats come last.
 *
 * @param onPeek shows the content of an alert in the drawer
 */
function alertColumns(onPeek: (alert: ApiAlert) => void, isNarrow: boolean): readonly Column<ApiAlert>[] {
  const said: readonly Column<ApiAlert>[] = [
    { title: 'ORG', width: 'minmax(44px, 0.4fr)', cell: (alert) => alert.organization_code },
    { title: 'PROVIDER', width: 'minmax(90px, 0.7fr)', cell: (alert) => alert.alert_provider },
  ]
  return [
    {
      title: 'ID',
      width: 'minmax(150px, 1.5fr)',
      cell: ({ alert_id: id }) => <RowLink href={`/alerts/${id}`} text={id.toUpperCase()} isMain />,
    },
    ...(isNarrow ? [] : said),
    {
      title: 'ALERT NAME',
      width: isNarrow ? 'minmax(78px, 1.4fr)' : 'minmax(104px, 1.4fr)',
      cell: ({ alert_type: type }) => type !== null && showInvisible(type),
    },
    {
      title: 'STATUS',
      width: isNarrow ? '86px' : '92px',
      sort: 'investigation_status',
      cell: (alert) => <AlertStatusBadge status={alert.investigation_status} />,
    },
    {
      title: 'CREATION TIME',
      width: isNarrow ? '86px' : '94px',
      sort: 'created_at',
      cell: (alert) => <TableTime at={alert.created_at} />,
    },
    {
      title: 'INVESTIGATOR',
      width: isNarrow ? 'minmax(90px, 1.4fr)' : 'minmax(98px, 1.4fr)',
      cell: (alert) => alert.investigator,
    },
    {
      title: 'CASE ID',
      width: 'minmax(66px, 0.8fr)',
      cell: ({ case_id: id }) => id !== null && <RowLink href={`/cases/${id}`} text={id.toUpperCase()} />,
    },
    {
      title: 'COMPLETION TIME',
      width: isNarrow ? '86px' : '94px',
      cell: (alert) => <TableTime at={alert.completed_at} />,
    },
    {
      title: 'Content',
      width: 'minmax(94px, 1.6fr)',
      cell: (alert) => (
        <button
          type="button"
          className="row-peek data-table-text"
          tabIndex={-1}
          title="Show content"
          onClick={() => onPeek(alert)}
        >
          {alert.title !== null && <b>{showInvisible(alert.title)} </b>}
          {alert.content_match === undefined ? (
            showInvisible(alert.content_preview ?? '')
          ) : (
            <Match found={alert.content_match} />
          )}
        </button>
      ),
    },
    ...(isNarrow ? said : []),
  ]
}

/** The part of the content that matches the search, with its place. */
function Match({ found: { path, text, marks } }: { readonly found: NonNullable<ApiAlert['content_match']> }) {
  const ends = [0, ...marks.map(([, to = 0]) => to)]
  return (
    <>
      {path !== null && `${showInvisible(path)}: `}
      {marks.map(([from = 0, to = 0], index) => (
        <Fragment key={index}>
          {showInvisible(text.slice(ends[index], from))}
          <mark>{showInvisible(text.slice(from, to))}</mark>
        </Fragment>
      ))}
      {showInvisible(text.slice(ends.at(-1)))}
    </>
  )
}
