import type { Run } from '../../api/types.ts'
import { RowLink } from '../../lists/table/row-link.tsx'
import { durationText } from '../../parts/time/duration-text.ts'
import { showInvisible } from '../../parts/json/show-invisible.ts'
import { RunState } from '../../parts/states/states.tsx'
import { When } from '../../parts/time/when.tsx'
import type { Column } from '../../lists/table/column.ts'

export const runColumns: readonly Column<Run>[] = [
  {
    title: 'PLAYBOOK',
    width: 'minmax(150px, 1.2fr)',
    cell: (run) => <RowLink href={`/runs/${run.run_uuid}`} text={run.playbook} isMain />,
  },
  { title: 'STATUS', width: '96px', cell: ({ status }) => <RunState status={status} /> },
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
    cell: (run) => <When at={run.created_at} />,
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
