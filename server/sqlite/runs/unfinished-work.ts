import type { UnfinishedWork } from '../../../core/ports/runs/run-store.ts'
import type { Database } from '../database/database.ts'

/** From indexes of what has not ended: alerts and runs that have do not count in. */
export function countUnfinished(database: Database, now: number): UnfinishedWork {
  const count = (sql: string): number => database.one<{ n: number }>(`SELECT count(*) AS n FROM ${sql}`).n
  const runs = (status: string) => count(`runs WHERE status = '${status}'`)
  const oldest = database.get<{ at: number }>(
    `SELECT created_at AS at FROM runs WHERE status = 'queued' ORDER BY id LIMIT 1`,
  )
  return {
    queued: runs('queued'),
    running: runs('running'),
    waiting: runs('waiting'),
    oldestQueuedMs: oldest === undefined ? 0 : Math.max(0, now - oldest.at),
    questions: count(`checkpoints WHERE state = 'waiting'`),
    approvals: count(`checkpoints WHERE kind >= 'approval:' AND kind < 'approval;' AND state = 'waiting'`),
    unknownSteps: count(
      `journal j JOIN runs r ON r.id = j.run_id WHERE j.state = 'unknown' AND r.ended_at IS NULL`,
    ),
  }
}
