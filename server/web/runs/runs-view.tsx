import { Anchor, Group } from '@mantine/core'
import { Link, useLocation } from 'wouter'
import type { Run } from '../api/types.ts'
import type { Column } from '../lists/data-table.tsx'
import { ChoiceFilter, TypedFilter } from '../lists/filter-fields.tsx'
import { ListPage } from '../lists/list-page.tsx'
import { useFilters } from '../lists/use-filters.ts'
import { durationText } from '../parts/duration-text.ts'
import { showInvisible } from '../parts/show-invisible.ts'
import { choicesOf, RunState, runStatuses } from '../parts/states.tsx'
import { Time } from '../parts/times.tsx'

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
  { title: 'STARTED', width: '160px', cell: (run) => <Time at={run.started_at ?? run.created_at} /> },
  {
    title: 'TOOK',
    width: '90px',
    cell: ({ started_at: from, ended_at: to }) => from !== null && to !== null && durationText(to - from),
  },
  {
    title: 'ERROR',
    width: 'minmax(160px, 1.5fr)',
    cell: (run) => run.error !== null && showInvisible(run.error.message),
  },
]

const idOf = (run: Run): string => run.run_uuid
const names = ['status', 'playbook', 'alert', 'case'] as const

export default function RunsView() {
  const [, navigate] = useLocation()
  const { filters, of } = useFilters(names)
  return (
    <ListPage
      title="Runs"
      path="/runs"
      query={filters}
      columns={columns}
      idOf={idOf}
      onOpen={(run) => navigate(`/runs/${run.run_uuid}`)}
      filters={
        <Group gap="xs">
          <ChoiceFilter label="Status" data={choicesOf(runStatuses)} {...of('status')} />
          <TypedFilter label="Playbook" {...of('playbook')} />
          <TypedFilter label="Alert" {...of('alert')} />
          <TypedFilter label="Case" {...of('case')} />
        </Group>
      }
      empty="No run fits, or no playbook has run yet."
    />
  )
}
