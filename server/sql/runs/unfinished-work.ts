import { eachInTurn, type Work } from '../database/work.ts'
import type { UnfinishedWork } from '../../../core/ports/runs/run-store.ts'
import { openQuestion } from '../../../core/transitions/question.ts'
import { activeRunStatuses, newRunStatus } from '../../../core/transitions/run.ts'
import { stepState } from '../../../core/transitions/step.ts'
import type { SqlValue } from '../database/columns.ts'
import type { Database } from '../database/database.ts'

/** Uses partial indexes of unfinished rows: the time does not grow with the number of ended runs. */
export function* countUnfinished(database: Database, now: number): Work<UnfinishedWork> {
  const count = function* (sql: string, ...values: SqlValue[]): Work<number> {
    return (yield* database.one<{ n: number }>(`SELECT count(*) AS n FROM ${sql}`, ...values)).n
  }
  const runs = yield* eachInTurn(activeRunStatuses, function* (status) {
    return [status, yield* count('runs WHERE status = ?', status)] as const
  })
  const oldest = yield* database.get<{ at: number }>(
    'SELECT created_at AS at FROM runs WHERE status = ? ORDER BY id LIMIT 1',
    newRunStatus,
  )
  return {
    ...(Object.fromEntries(runs) as Record<(typeof activeRunStatuses)[number], number>),
    oldestQueuedMs: oldest === undefined ? 0 : Math.max(0, now - oldest.at),
    questions: yield* count('checkpoints WHERE state = ?', openQuestion),
    approvals: yield* count(
      `checkpoints WHERE kind >= 'approval:' AND kind < 'approval;' AND state = ?`,
      openQuestion,
    ),
    rateLimited: {
      runs: yield* count(`rated_starts WHERE waits = 1 AND path = ''`),
      steps: yield* count(`rated_starts WHERE waits = 1 AND path <> ''`),
    },
    events: yield* count('trigger_events'),
    overdueCases: yield* count('cases WHERE listed = 1 AND due_rank <= ?', now),
    unknownSteps: yield* count(
      `journal j JOIN runs r ON r.id = j.run_id WHERE j.state = '${stepState.unknown}' AND r.ended_at IS NULL`,
    ),
  }
}
