import '../lists/list-page.css'
import { Anchor, Group, Text } from '@mantine/core'
import { Link, useLocation } from 'wouter'
import type { Case } from '../api/types.ts'
import { DataTable, type Column } from '../lists/data-table.tsx'
import { useList } from '../lists/use-list.ts'
import { Refusal } from '../parts/refusal.tsx'
import { CaseState, SeverityBadge, VerdictBadge } from '../parts/states.tsx'
import { Time } from '../parts/times.tsx'
import { ViewTitle } from '../shell/view-title.tsx'

const columns: readonly Column<Case>[] = [
  {
    title: 'ID',
    width: 'minmax(90px, 0.5fr)',
    cell: ({ case_id: id }) => (
      <Anchor component={Link} href={`/cases/${id}`} size="sm" fw={600} tabIndex={-1}>
        {id.toUpperCase()}
      </Anchor>
    ),
  },
  { title: 'TITLE', width: 'minmax(240px, 3fr)', cell: ({ title }) => title },
  { title: 'SEVERITY', width: '120px', cell: ({ severity }) => <SeverityBadge severity={severity} /> },
  { title: 'VERDICT', width: '110px', cell: ({ verdict }) => <VerdictBadge verdict={verdict} /> },
  { title: 'STATUS', width: '110px', cell: ({ status }) => <CaseState status={status} /> },
  { title: 'ASSIGNEE', width: 'minmax(100px, 1fr)', cell: ({ assignee }) => assignee },
  { title: 'OPENED', width: '170px', cell: (found) => <Time at={found.created_at} /> },
]

const idOf = (found: Case): string => found.case_id

export default function CasesView() {
  const [, navigate] = useLocation()
  const list = useList<Case>({ path: '/cases', idOf })
  return (
    <div className="list-page">
      <Group gap="sm" align="baseline">
        <ViewTitle>Cases</ViewTitle>
        {list.total !== undefined && (
          <Text c="dimmed" size="sm">
            {list.total.toLocaleString()}
          </Text>
        )}
      </Group>
      {list.isError && <Refusal error={list.error} onRetry={() => void list.refetch()} />}
      <DataTable
        label="Cases"
        rows={list.rows}
        columns={columns}
        idOf={idOf}
        onOpen={({ case_id: id }) => navigate(`/cases/${id}`)}
        hasMore={list.hasNextPage}
        isLoadingMore={list.isFetchingNextPage}
        onMore={() => void list.fetchNextPage()}
        empty={<Text c="dimmed">{list.isPending ? 'Loading …' : 'No case has been opened yet.'}</Text>}
      />
    </div>
  )
}
