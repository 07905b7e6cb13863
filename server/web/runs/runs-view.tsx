import '../lists/list-page.css'
import { Anchor, Group, Text } from '@mantine/core'
import { Link, useLocation } from 'wouter'
import type { Run } from '../api/types.ts'
import { DataTable, type Column } from '../lists/data-table.tsx'
import { useFilters } from '../lists/use-filters.ts'
import { useList } from '../lists/use-list.ts'
import { Refusal } from '../parts/refusal.tsx'
import { RunState } from '../parts/states.tsx'
import { durationText } from '../parts/duration-text.ts'
import { Time } from '../parts/times.tsx'
import { ViewTitle } from '../shell/view-title.tsx'

const columns: readonly Column<Run>[] = [
  {
    title: 'PLAYBOOK',
    width: 'minmax(160px, 1.2fr)',
    cell: (run) => (
      <Anchor component={Link} href={`/runs/${run.run_uuid}`} size="sm" fw={600} tabIndex={-1}>
        {run.playbook}
      </Anchor>
    ),
  },
  { title: 'STATUS', width: '110px', cell: ({ status }) => <RunState status={status} /> },
  { title: 'ORG', width: 'minmax(60px, 0.5fr)', cell: (run) => run.organization_code },
  { title: 'ALERT', width: 'minmax(140px, 1fr)', cell: (run) => run.alert_id?.toUpperCase() },
  { title: 'CASE', width: 'minmax(80px, 0.6fr)', cell: (run) => run.case_id?.toUpperCase() },
  { title: 'STARTED', width: '170px', cell: (run) => <Time at={run.started_at ?? run.created_at} /> },
  {
    title: 'TOOK',
    width: '90px',
    cell: ({ started_at: from, ended_at: to }) => from !== null && to !== null && durationText(to - from),
  },
  { title: 'ERROR', width: 'minmax(160px, 1.5fr)', cell: (run) => run.error?.message },
]

const idOf = (run: Run): string => run.run_uuid
const names = ['alert', 'case'] as const

export default function RunsView() {
  const [, navigate] = useLocation()
  const { filters } = useFilters(names)
  const list = useList<Run>({ path: '/runs', query: filters, idOf })
  return (
    <div className="list-page">
      <Group gap="sm" align="baseline">
        <ViewTitle>Runs</ViewTitle>
        {list.total !== undefined && (
          <Text c="dimmed" size="sm">
            {list.total.toLocaleString()}
          </Text>
        )}
      </Group>
      {list.isError && <Refusal error={list.error} onRetry={() => void list.refetch()} />}
      <DataTable
        label="Runs"
        rows={list.rows}
        columns={columns}
        idOf={idOf}
        onOpen={(run) => navigate(`/runs/${run.run_uuid}`)}
        hasMore={list.hasNextPage}
        isLoadingMore={list.isFetchingNextPage}
        onMore={() => void list.fetchNextPage()}
        empty={<Text c="dimmed">{list.isPending ? 'Loading …' : 'No playbook has run yet.'}</Text>}
      />
    </div>
  )
}
