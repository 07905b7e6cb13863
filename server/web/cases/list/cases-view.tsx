import { Group } from '@mantine/core'
import { ArchiveIcon } from 'lucide-react'
import { useEffect, useMemo, useRef, useState, type ReactNode } from 'react'
import { useLocation } from 'wouter'
import { useOrganizations } from '../../api/lookups.ts'
import type { ApiCase } from '../../api/types.ts'
import { useColumns } from '../../lists/columns/columns-menu.tsx'
import { RowLink, type Column } from '../../lists/data-row.tsx'
import { DataTable } from '../../lists/data-table.tsx'
import { ChoiceFilter, ClearFilters, FilterChips, LookupFilter, TextFilter } from '../../lists/filters.tsx'
import { ListFrame } from '../../lists/list-page.tsx'
import { SavedMenu } from '../../lists/saved/saved-menu.tsx'
import { TimeFilter, timeNames } from '../../lists/time-filter.tsx'
import { queryAt } from '../../lists/time-range.ts'
import { useFilters } from '../../lists/use-filters.ts'
import { useList } from '../../lists/use-list.ts'
import { useSelection } from '../../lists/use-table.ts'
import { Empty } from '../../parts/layout.tsx'
import { showInvisible } from '../../parts/outside-text.ts'
import {
  CaseState,
  caseStatusLooks,
  selectOptions,
  severityLooks,
  SeverityLevel,
  VerdictBadge,
  verdictLooks,
} from '../../parts/states.tsx'
import { serverTime } from '../../parts/time.ts'
import { TableTime } from '../../parts/times.tsx'
import { useMay } from '../../session/session.ts'
import { reasonOptions, reasonText } from '../closing.tsx'
import { DueTime } from '../due-time.tsx'
import { Assignee } from '../assignee.tsx'
import { rememberList } from './neighbours.ts'
import { BulkBar } from './bulk-bar.tsx'
import { filterBody, type BulkChoice } from './bulk-changes.ts'
import { BulkResultBar } from './bulk-result.tsx'
import { MergeButton } from './merge-cases.tsx'
import { Queues } from './queues.tsx'
import { useBulk } from './use-bulk.ts'

const columns: readonly Column<ApiCase>[] = [
  {
    title: 'ID',
    width: 'minmax(92px, 0.5fr)',
    cell: ({ case_id: id }) => <RowLink href={`/cases/${id}`} text={id.toUpperCase()} isMain />,
  },
  { title: 'TITLE', width: 'minmax(160px, 3fr)', cell: ({ title }) => showInvisible(title) },
  { title: 'ORG', width: 'minmax(60px, 0.4fr)', isOptional: true, cell: (found) => found.organization_code },
  {
    title: 'SEVERITY',
    width: '100px',
    sort: 'severity',
    cell: ({ severity }) => <SeverityLevel severity={severity} />,
  },
  { title: 'VERDICT', width: '96px', cell: ({ verdict }) => <VerdictBadge verdict={verdict} /> },
  { title: 'STATUS', width: '96px', cell: ({ status }) => <CaseState status={status} /> },
  {
    title: 'REASON',
    width: '110px',
    isOptional: true,
    cell: ({ closing_reason: reason }) => reasonText(reason),
  },
  {
    title: 'ASSIGNEE',
    width: 'minmax(100px, 1fr)',
    isExtra: true,
    cell: (found) => <Assignee found={found} />,
  },
  { title: 'DUE', width: '108px', isExtra: true, sort: 'due_at', cell: (found) => <DueTime found={found} /> },
  {
    title: 'OPENED',
    width: '104px',
    sort: 'created_at',
    cell: (found) => <TableTime at={found.created_at} />,
  },
  {
    title: 'CHANGED',
    width: '104px',
    isExtra: true,
    sort: 'modified_at',
    cell: (found) => <TableTime at={found.modified_at} />,
  },
  {
    title: 'CLOSED',
    width: '104px',
    isOptional: true,
    cell: ({ closed_at: at }) => <TableTime at={at} />,
  },
]

const idOf = (found: ApiCase): string => found.case_id
const names = [
  'q',
  'organization',
  'status',
  'active',
  'severity',
  'verdict',
  'closing_reason',
  'assignee',
  'assignee_state',
  'observable',
  'unassigned',
  'sla',
  ...timeNames,
  'sort',
] as const
const newestFirst = '-created_at'
const slaOptions = [
  { value: 'overdue', label: 'Overdue' },
  { value: 'missed', label: 'Missed' },
]

/** All cases, queues of them, and changes of many at once. */
export default function CasesView() {
  const [, navigate] = useLocation()
  const filtering = useFilters(names)
  const { filters, choose } = filtering
  const { sort = newestFirst, ...narrowing } = filters
  const mayChange = useMay('cases:write')
  const list = useList<ApiCase>({ path: '/cases', query: filters, idOf })
  const { shown, menu } = useColumns('cases', columns)
  const work = useSelectedCases(list.rows, narrowing, list.total)
  const bulk = useBulk()
  const ids = useMemo(() => list.rows.map(idOf), [list.rows])
  const { total, nextCursor } = list
  useEffect(() => rememberList(ids, total, nextCursor), [ids, total, nextCursor])
  const { selection } = work
  return (
    <ListFrame
      title="Cases"
      list={list}
      filters={
        <>
          {selection.ids.size > 0 ? (
            <BulkBar {...work.bar} bulk={bulk}>
              <MergeButton chosen={selection.ids} onDone={work.bar.onClear} />
            </BulkBar>
          ) : bulk.work === undefined ? (
            <Queues />
          ) : (
            <BulkResultBar bulk={bulk} work={bulk.work} />
          )}
          <CaseFilters {...filtering}>{menu}</CaseFilters>
        </>
      }
    >
      <DataTable
        {...list.more}
        label="Cases"
        rows={list.rows}
        columns={shown}
        idOf={idOf}
        listed={JSON.stringify(filters)}
        isPending={list.isPending}
        onOpen={({ case_id: id }) => navigate(`/cases/${id}`)}
        sort={sort}
        onSort={(by) => choose({ sort: by === newestFirst ? null : by })}
        {...(mayChange && { selection })}
        empty={
          list.error === null && (
            <Empty icon={ArchiveIcon} action={<ClearFilters />}>
              No matching cases
            </Empty>
          )
        }
      />
    </ListFrame>
  )
}

/** The selection: named cases as they were last loaded, or all that match the filters. */
function useSelectedCases(rows: readonly ApiCase[], narrowing: object, listTotal: number | undefined) {
  const selection = useSelection(narrowing)
  const [isAll, setAll] = useState(false)
  const revisions = useRef(new Map<string, number>())
  useEffect(() => {
    for (const { case_id: id, revision } of rows) revisions.current.set(id, revision)
  }, [rows])
  const onChange = (ids: ReadonlySet<string>): void => {
    setAll(false)
    selection.onChange(ids)
  }
  const isOnlyLoaded = rows.length > 0 && rows.every((row) => selection.ids.has(idOf(row)))
  const total = Math.max(listTotal ?? 0, rows.length)
  const choose = (): BulkChoice => {
    const since = serverTime()
    if (isAll) return { filter: filterBody(queryAt({ ...narrowing }, since)), since, total }
    const cases = [...selection.ids].map((id) => ({
      case_id: id,
      revision: revisions.current.get(id) ?? 1,
    }))
    return { cases }
  }
  return {
    selection: { ids: selection.ids, onChange },
    bar: {
      choose,
      count: isAll ? total : selection.ids.size,
      onAll: isOnlyLoaded && !isAll && total > rows.length ? () => setAll(true) : undefined,
      total,
      isAll,
      onClear: () => onChange(new Set()),
    },
  }
}

type Filtering = ReturnType<typeof useFilters<(typeof names)[number]>>

function CaseFilters({ filters, choose, of, children }: Filtering & { readonly children: ReactNode }) {
  const organizations = useOrganizations()
  return (
    <>
      <Group gap="xs">
        <TextFilter label="Search cases" placeholder="Search title, summary" {...of('q')} />
        {organizations.codes.length > 1 && (
          <LookupFilter label="Organization" lookup={organizations} {...of('organization')} />
        )}
        <ChoiceFilter label="Status" data={selectOptions(caseStatusLooks)} {...of('status')} />
        <ChoiceFilter label="Severity" data={selectOptions(severityLooks)} {...of('severity')} />
        <ChoiceFilter label="Verdict" data={selectOptions(verdictLooks)} {...of('verdict')} />
        <ChoiceFilter label="Closing reason" data={reasonOptions} {...of('closing_reason')} />
        <ChoiceFilter label="Response time" data={slaOptions} {...of('sla')} />
        <TextFilter label="Assignee" {...of('assignee')} />
        <TextFilter label="Observable" {...of('observable')} />
        <TimeFilter label="Opened" range={filters} onChange={choose} />
        <SavedMenu view="cases" />
        {children}
      </Group>
      <FilterChips
        filters={[
          { label: 'Not closed', value: filters.active, onClear: () => choose({ active: null }) },
          {
            label: 'Assignee disabled',
            value: filters.assignee_state,
            onClear: () => choose({ assignee_state: null }),
          },
          { label: 'Unassigned', value: filters.unassigned, onClear: () => choose({ unassigned: null }) },
        ]}
      />
    </>
  )
}
