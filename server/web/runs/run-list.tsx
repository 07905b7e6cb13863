import { PlayIcon } from 'lucide-react'
import type { ApiRun } from '../api/types.ts'
import { TextLink } from '../parts/layout.tsx'
import { SmallTable, type SmallColumn } from '../parts/small-table.tsx'
import { OutsideText } from '../parts/text-view.tsx'
import { RunStatusBadge } from '../parts/states.tsx'
import { durationText } from '../parts/time.ts'
import { DateTime } from '../parts/times.tsx'

interface RunListProps {
  readonly runs: readonly ApiRun[]
  /** A note about deleted runs. */
  readonly loss?: string | null
}

/** Runs of an alert or a case, newest first. */
export function RunList({ runs, loss = null }: RunListProps) {
  return (
    <SmallTable
      title="Runs"
      count={runs.length}
      rows={runs}
      columns={columns}
      idOf={(run) => run.run_uuid}
      icon={PlayIcon}
      empty={loss ?? 'No runs'}
      note={loss}
    />
  )
}

const columns: readonly SmallColumn<ApiRun>[] = [
  {
    title: 'Playbook',
    cell: (run) => (
      <TextLink href={`/runs/${run.run_uuid}`} isStrong>
        {run.playbook}
      </TextLink>
    ),
  },
  { title: 'Status', isNarrow: true, cell: (run) => <RunStatusBadge status={run.status} /> },
  { title: 'Started', isNarrow: true, cell: (run) => <DateTime at={run.started_at} /> },
  {
    title: 'Duration',
    isNumber: true,
    cell: (run) =>
      run.started_at !== null && run.ended_at !== null && durationText(run.ended_at - run.started_at),
  },
  {
    title: 'Error',
    cell: ({ retried_by: retry, error }) => (
      <>
        {retry !== null && (
          <TextLink href={`/runs/${retry}`} isUnderlined>
            Retried
          </TextLink>
        )}
        {retry !== null && error !== null && ': '}
        {error !== null && <OutsideText span text={error.message} />}
      </>
    ),
  },
]
