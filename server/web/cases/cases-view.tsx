import { Group } from '@mantine/core'
import { ArchiveIcon } from '@radix-ui/react-icons'
import { useLocation } from 'wouter'
import type { Case } from '../api/types.ts'
import { ChoiceFilter, SearchFilter, TypedFilter } from '../lists/filters/filter-fields.tsx'
import { ListPage } from '../lists/page/list-page.tsx'
import { RowLink } from '../lists/table/row-link.tsx'
import { TimeFilter, timeNames } from '../lists/filters/time-filter.tsx'
import { useFilters } from '../lists/filters/use-filters.ts'
import { showInvisible } from '../parts/json/show-invisible.ts'
import {
  CaseState,
  caseStatuses,
  choicesOf,
  severities,
  SeverityLevel,
  VerdictBadge,
  verdicts,
} from '../parts/states/states.tsx'
import { When } from '../parts/time/when.tsx'
import type { Column } from '../lists/table/column.ts'

const columns: readonly Column<Case>[] = [
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
  { title: 'OPENED', width: '104px', sort: 'created_at', cell: (found) => <When at={found.created_at} /> },
  {
    title: 'CHANGED',
    width: '104px',
    isExtra: true,
    sort: 'modified_at',
    cell: (found) => <When at={found.modified_at} />,
  },
]

const idOf = (found: Case): string => found.case_id
const names = ['q', 'status', 'severity', 'verdict', 'assignee', ...timeNames, 'sort'] as const
const newestFirst = '-created_at'

export default function CasesView() {
  const [, navigate] = useLocation()
  const { filters, choose, of } = useFilters(names)
  const sort = filters.sort ?? newestFirst
  return (
    <ListPage
      title="Cases"
      path="/cases"
      query={filters}
      columns={columns}
      idOf={idOf}
      onOpen={({ case_id: id }) => navigate(`/cases/${id}`)}
      sort={sort}
      onSort={(by) => choose({ sort: by === newestFirst ? null : by })}
      filters={
        <Group gap="xs">
          <SearchFilter label="Search cases" placeholder="Search title, summary" {...of('q')} />
          <ChoiceFilter label="Status" data={choicesOf(caseStatuses)} {...of('status')} />
          <ChoiceFilter label="Severity" data={choicesOf(severities)} {...of('severity')} />
          <ChoiceFilter label="Verdict" data={choicesOf(verdicts)} {...of('verdict')} />
          <TypedFilter label="Assignee" {...of('assignee')} />
          <TimeFilter label="Opened" range={filters} onChange={choose} />
        </Group>
      }
      icon={ArchiveIcon}
      empty="No matching cases"
    />
  )
}
