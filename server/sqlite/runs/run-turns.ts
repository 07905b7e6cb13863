import type { ParkedRun, RunKey, SuspectRun } from '../../../core/ports/runs/run-store.ts'
import { activeRunStatuses } from '../../../core/transitions/run.ts'
import type { Database } from '../database/database.ts'
import { requireCompleteCopy } from './reruns.ts'

/** Never due by time: only an answer or the like wakes the run. */
export const maxWakeAt = Number.MAX_SAFE_INTEGER
/** The process with the turn has stopped. */
const leftBehind = -1
/** Due, whatever the clock says. Only a run that waits for a time has a later value. */
export const alwaysDue = 0

interface TurnRow {
  readonly id: number
  readonly wakeAt: number | null
  readonly endedAt: number | null
  readonly soloCrashes: number
  readonly retryOf: number | null
}

/** In SQL, so that the index of statuses finds the runs. */
export const active = activeRunStatuses.map((status) => `'${status}'`).join(', ')

const selectTurn =
  'SELECT id, wake_at AS wakeAt, ended_at AS endedAt, convictions AS soloCrashes, retry_of AS retryOf FROM runs WHERE uuid = ?'
const selectKey = 'SELECT r.uuid, o.uuid AS organizationUuid'
const tables = 'FROM runs r JOIN organizations o ON o.id = r.organization_id'

/**
 * Inside of a write, like all functions that change something here. Gives a due or ended run its turn, or the time at which it is
 * due; undefined for a run that has its turn.
 */
export function takeTurn(database: Database, uuid: string, now: number) {
  const turn = database.get<TurnRow>(selectTurn, uuid)
  if (turn === undefined) return undefined
  if (turn.endedAt !== null) return { row: turn.id, soloCrashes: 0 }
  if (turn.wakeAt === null) return undefined
  if (turn.wakeAt > now) return { wakeAt: turn.wakeAt === maxWakeAt ? Infinity : turn.wakeAt }
  if (turn.retryOf !== null) requireCompleteCopy(database, turn.id)
  database.run('UPDATE runs SET wake_at = NULL WHERE id = ?', turn.id)
  return { row: turn.id, soloCrashes: turn.soloCrashes }
}

/** When the run is due; Infinity if only an answer or the like wakes it. */
export function heldUntil(database: Database, uuid: string): number {
  const { wakeAt } = database.one<{ wakeAt: number | null }>(
    'SELECT wake_at AS wakeAt FROM runs WHERE uuid = ?',
    uuid,
  )
  return wakeAt === maxWakeAt ? Infinity : (wakeAt ?? alwaysDue)
}

/** False if the run was woken during its turn. A completed turn resets the crash counters. */
export function parkRun(database: Database, uuid: string, wakeAt: number): boolean {
  const changed = database.run(
    'UPDATE runs SET wake_at = ?, crashes = 0, convictions = 0 WHERE uuid = ? AND wake_at IS NULL AND ended_at IS NULL',
    Math.min(Math.max(alwaysDue, Math.ceil(wakeAt)), maxWakeAt),
    uuid,
  )
  return changed === 1
}

/** To be called for everything that a run may wait for. */
export function wakeRun(database: Database, row: number): void {
  database.run(
    'UPDATE runs SET wake_at = ? WHERE id = ? AND ended_at IS NULL AND ifnull(wake_at, ?) > ?',
    alwaysDue,
    row,
    maxWakeAt,
    alwaysDue,
  )
}

/**
 * First those left by a stopped process, then the oldest. An index sorts waiting runs by time, so the earliest of each page are
 * read.
 */
export function dueRuns(
  database: Database,
  organizationUuid: string,
  now: number,
  limit: number,
): readonly RunKey[] {
  const first = (times: string) =>
    `SELECT * FROM (SELECT id, uuid, wake_at FROM runs WHERE organization_id = (SELECT id FROM organizations WHERE uuid = ?)
       AND ${times} AND ended_at IS NULL ORDER BY wake_at, id LIMIT ?)`
  const found = database.all<Pick<RunKey, 'uuid'>>(
    `SELECT uuid FROM (${first('wake_at <= ?')} UNION ALL ${first('wake_at > ? AND wake_at <= ?')})
     ORDER BY wake_at <> ?, id LIMIT ?`,
    organizationUuid,
    alwaysDue,
    limit,
    organizationUuid,
    alwaysDue,
    now,
    limit,
    leftBehind,
    limit,
  )
  return found.map(({ uuid }) => ({ uuid, organizationUuid }))
}

export function parkedRuns(
  database: Database,
  after: ParkedRun | undefined,
  limit: number,
): readonly ParkedRun[] {
  return database.all<ParkedRun>(
    `${selectKey}, r.wake_at AS wakeAt ${tables}
     WHERE (r.wake_at, r.id) > (?, ifnull((SELECT id FROM runs WHERE uuid = ?), 0)) AND r.wake_at < ?
       AND r.wake_at > 0 AND r.ended_at IS NULL ORDER BY r.wake_at, r.id LIMIT ?`,
    after?.wakeAt ?? alwaysDue + 1,
    after?.uuid ?? null,
    maxWakeAt,
    limit,
  )
}

export function countQueuedRuns(database: Database): ReadonlyMap<string, number> {
  const rows = database.all<{ organizationUuid: string; count: number }>(
    `SELECT o.uuid AS organizationUuid, count(*) AS count ${tables}
     WHERE r.wake_at IS NOT NULL AND r.ended_at IS NULL AND r.started_at IS NULL GROUP BY o.id`,
  )
  return new Map(rows.map(({ organizationUuid, count }) => [organizationUuid, count]))
}

export function recoverRuns(database: Database): void {
  database.run(
    `UPDATE runs SET wake_at = ?, crashes = crashes + 1, convictions = convictions + alone
     WHERE status IN (${active}) AND wake_at IS NULL AND ended_at IS NULL`,
    leftBehind,
  )
  database.run('UPDATE runs SET alone = 0 WHERE alone = 1')
  // The process stopped while it copied their journals; the next turn continues the copy.
  database.run('UPDATE runs SET wake_at = ? WHERE id IN (SELECT run_id FROM journal_copies)', alwaysDue)
}

/** Runs left by a stopped process more than once since they were last parked, oldest first. */
export function suspectRuns(database: Database): readonly SuspectRun[] {
  return database.all<SuspectRun>(
    `${selectKey}, r.crashes ${tables} WHERE r.wake_at = ? AND r.crashes > 1 AND r.ended_at IS NULL ORDER BY r.id`,
    leftBehind,
  )
}

export function setAlone(database: Database, uuid: string, alone: boolean): void {
  database.run('UPDATE runs SET alone = ? WHERE uuid = ?', Number(alone), uuid)
}
