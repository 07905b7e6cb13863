import { Group } from '@mantine/core'
import { ArchiveIcon } from '@radix-ui/react-icons'
import { useLocation } from 'wouter'
import type { ApiCase } from '../api/types.ts'
import { ChoiceFilter, TextFilter } from '../lists/filters.tsx'
import { ListView } from '../lists/list-page.tsx'
import { RowLink, type Column } from '../lists/data-row.tsx'
import { TimeFilter, timeNames } from '../lists/time-filter.tsx'
import { useFilters } from '../lists/use-filters.ts'
import { useSelection } from '../lists/use-table.ts'
import { showInvisible } from '../parts/outside-text.ts'
import {
  CaseState,
  caseStatusLooks,
  selectOptions,
  severityLooks,
  SeverityLevel,
  VerdictBadge,
  verdictLooks,
} from '../parts/states.tsx'
import { TableTime } from '../parts/times.tsx'
import { useHasRole } from '../session/session.ts'
import { MergeButton } from './merge-cases.tsx'

const columns: readonly Column<ApiCase>[] = [
  {
    title: 'ID',
    width: 'minmax(84px, 0.5fr)',
    cell: ({ case_id: id }) => <RowLink href={`/cases/${id}`} text={id.toUpperCase()} isMain />,
  },
  { title: 'TITLE', width: 'minmax(160px, 3fr)', cell: ({ title }) => showInvisible(title) },
  {
    title: 'SEVERITY',
    width: '100px',
    sort: 'severity',
    cell: ({ severity }) => <SeverityLevel severity={severity} />,
  },
  { title: 'VERDICT', width: '96px', cell: ({ verdict }) => <VerdictBadge verdict={verdict} /> },
  { title: 'STATUS', width: '96px', cell: ({ status }) => <CaseState status={status} /> },
  {
    title: 'ASSIGNEE',
    width: 'minmax(100px, 1fr)',
    isExtra: true,
    cell: ({ assignee }) => assignee !== null && showInvisible(assignee),
  },
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
]

const idOf = (found: ApiCase): string => found.case_id
const names = ['q', 'status', 'severity', 'verdict', 'assignee', ...timeNames, 'sort'] as const
const newestFirst = '-created_at'

export default function CasesView() {
  const [, navigate] = useLocation()
  const { filters, choose, of } = useFilters(names)
  const { sort = newestFirst, ...narrowing } = filters
  const mayMerge = useHasRole('analyst', 'admin')
  const selection = useSelection(narrowing)
  return (
    <ListView
      title="Cases"
      path="/cases"
      query={filters}
      columns={columns}
      idOf={idOf}
      onOpen={({ case_id: id }) => navigate(`/cases/${id}`)}
      sort={sort}
      onSort={(by) => choose({ sort: by === newestFirst ? null : by })}
      {...(mayMerge && {
        selection,
        actions: <MergeButton chosen={selection.ids} onDone={() => selection.onChange(new Set())} />,
      })}
      filters={
        <Group gap="xs">
          <TextFilter label="Search cases" placeholder="Search title, summary" {...of('q')} />
          <ChoiceFilter label="Status" data={selectOptions(caseStatusLooks)} {...of('status')} />
          <ChoiceFilter label="Severity" data={selectOptions(severityLooks)} {...of('severity')} />
          <ChoiceFilter label="Verdict" data={selectOptions(verdictLooks)} {...of('verdict')} />
          <TextFilter label="Assignee" {...of('assignee')} />
          <TimeFilter label="Opened" range={filters} onChange={choose} />
        </Group>
      }
      icon={ArchiveIcon}
      empty="No matching cases"
    />
  )
}
