import type { Work } from '../database/work.ts'
import type {
  ParkedRun,
  RunKey,
  RunsOfVersion,
  SuspectRun,
  WokenTurn,
} from '../../../core/ports/runs/run-store.ts'
import { activeRunStatuses } from '../../../core/transitions/run.ts'
import type { Database } from '../database/database.ts'
import { ownProgram, versionOfOrdered } from '../nodes/program-order.ts'
import { requireCompleteCopy } from './reruns.ts'

/** Never due by time: only an answer or the like wakes the run. */
export const maxWakeAt = Number.MAX_SAFE_INTEGER
/** The process with the turn has stopped. */
const leftBehind = -1
/** Due, whatever the clock says. Only a run that waits for a time has a later value. */
export const alwaysDue = 0

interface TurnRow {
  readonly id: number
  readonly number: number
  readonly wakeAt: number | null
  /** The node with the turn. */
  readonly owner: string | null
  readonly endedAt: number | null
  readonly soloCrashes: number
  readonly retryOf: number | null
  /** The newest program that has had the run, see `orderedVersion`. */
  readonly program: string
}

/** See `suspectRuns`. */
const isNoSuspect = ` AND (wake_at <> ${leftBehind} OR crashes <= 1)`

/** In SQL, so that the index of statuses finds the runs. */
const active = activeRunStatuses.map((status) => `'${status}'`).join(', ')

const selectTurn =
  'SELECT id, turn AS number, wake_at AS "wakeAt", owner, ended_at AS "endedAt", convictions AS "soloCrashes", retry_of AS "retryOf", program FROM runs WHERE uuid = ?'
const selectKey = 'SELECT r.uuid, o.uuid AS "organizationUuid"'
const tables = 'FROM runs r JOIN organizations o ON o.id = r.organization_id'

/**
 * Inside of a write, like all functions that change something here. A turn that was taken has the next number. Gives a due or ended run its turn, or the time at which it is
 * due; undefined for a run that has its turn or is being written to, or that a newer program has had.
 */
export function* takeTurn(database: Database, uuid: string, now: number) {
  const turn = yield* database.get<TurnRow>(selectTurn, uuid)
  if (turn === undefined) return undefined
  if (turn.endedAt !== null) return { row: turn.id, number: turn.number, soloCrashes: 0 }
  // A run that was woken during its turn has both.
  if (turn.owner !== null || turn.wakeAt === null || turn.program > ownProgram) return undefined
  if (turn.wakeAt > now) return { wakeAt: turn.wakeAt === maxWakeAt ? Infinity : turn.wakeAt }
  if (turn.retryOf !== null) yield* requireCompleteCopy(database, turn.id)
  if (!(yield* database.excludeWritesFor(uuid))) return undefined
  yield* database.run(
    'UPDATE runs SET wake_at = NULL, owner = ?, turn = turn + 1, program = ? WHERE id = ?',
    database.node,
    ownProgram,
    turn.id,
  )
  database.forgetTurns()
  return { row: turn.id, number: turn.number + 1, soloCrashes: turn.soloCrashes }
}

/** When the run is due; Infinity if only an answer or the like wakes it. */
export function* heldUntil(database: Database, uuid: string): Work<number> {
  const { wakeAt } = yield* database.one<{ wakeAt: number | null }>(
    'SELECT wake_at AS "wakeAt" FROM runs WHERE uuid = ?',
    uuid,
  )
  return wakeAt === maxWakeAt ? Infinity : (wakeAt ?? alwaysDue)
}

/** False if the run was woken during its turn. A completed turn resets the crash counters. */
export function* parkRun(database: Database, uuid: string, wakeAt: number): Work<boolean> {
  const over = 'owner = NULL, crashes = 0, convictions = 0 WHERE uuid = ? AND ended_at IS NULL AND wake_at'
  const parked = yield* database.run(
    `UPDATE runs SET wake_at = ?, ${over} IS NULL`,
    Math.min(Math.max(alwaysDue, Math.ceil(wakeAt)), maxWakeAt),
    uuid,
  )
  if (parked === 0) yield* database.run(`UPDATE runs SET ${over} IS NOT NULL`, uuid)
  return parked === 1
}

/** To be called for everything that a run may wait for. */
export function* wakeRun(database: Database, row: number): Work<void> {
  yield* database.run(
    'UPDATE runs SET wake_at = ? WHERE id = ? AND ended_at IS NULL AND coalesce(wake_at, ?) > ?',
    alwaysDue,
    row,
    maxWakeAt,
    alwaysDue,
  )
}

/** A run that this program may continue. */
const isNotNewer = ' AND program <= ?'

/**
 * First those left by a stopped process, then the oldest. An index sorts waiting runs by time, so the earliest of each page are
 * read.
 */
export function* dueRuns(
  database: Database,
  organizationUuid: string,
  now: number,
  limit: number,
  suspects = true,
): Work<readonly RunKey[]> {
  const first = (times: string) =>
    `SELECT * FROM (SELECT id, uuid, wake_at FROM runs WHERE organization_id = (SELECT id FROM organizations WHERE uuid = ?)
       AND ${times} AND ended_at IS NULL AND owner IS NULL${isNotNewer}${suspects ? '' : isNoSuspect} ORDER BY wake_at, id LIMIT ?) AS earliest`
  const found = yield* database.all<Pick<RunKey, 'uuid'>>(
    `SELECT uuid FROM (${first('wake_at <= ?')} UNION ALL ${first('wake_at > ? AND wake_at <= ?')}) AS due
     ORDER BY wake_at <> ?, id LIMIT ?`,
    organizationUuid,
    alwaysDue,
    ownProgram,
    limit,
    organizationUuid,
    alwaysDue,
    now,
    ownProgram,
    limit,
    leftBehind,
    limit,
  )
  return found.map(({ uuid }) => ({ uuid, organizationUuid }))
}

export function* organizationsWithDue(database: Database, now: number): Work<readonly string[]> {
  const rows = yield* database.all<{ uuid: string }>(
    `SELECT o.uuid FROM organizations o WHERE EXISTS (SELECT 1 FROM runs
       WHERE organization_id = o.id AND wake_at <= ? AND ended_at IS NULL AND owner IS NULL${isNotNewer}${isNoSuspect})`,
    now,
    ownProgram,
  )
  return rows.map(({ uuid }) => uuid)
}

/** A run that was woken during its turn is due and has an owner. */
export function* wokenTurns(database: Database, uuids: readonly string[]): Work<readonly WokenTurn[]> {
  const rows = yield* database.all<{ run: string; cancelledAt: number | null }>(
    `SELECT uuid AS run, cancelled_at AS "cancelledAt" FROM runs
     WHERE uuid IN (SELECT value FROM json_each(?)) AND owner = ? AND wake_at IS NOT NULL AND ended_at IS NULL`,
    JSON.stringify(uuids),
    database.node,
  )
  return rows.map(({ run, cancelledAt }) => ({ run, isCancelled: cancelledAt !== null }))
}

/** See `RunStore.turnsBesides`. */
export function* turnsBesides(database: Database, uuids: readonly string[]): Work<readonly string[]> {
  const rows = yield* database.all<{ uuid: string }>(
    `SELECT uuid FROM runs WHERE status IN (${active}) AND ended_at IS NULL AND owner = ?
       AND uuid NOT IN (SELECT value FROM json_each(?)) LIMIT 1000`,
    database.node,
    JSON.stringify(uuids),
  )
  return rows.map(({ uuid }) => uuid)
}

/** See `RunStore.giveUp`. */
export function* giveUpOwn(database: Database, uuids: readonly string[]): Work<void> {
  database.forgetTurns()
  yield* database.run(
    `UPDATE runs SET wake_at = ?, owner = NULL, turn = turn + 1
     WHERE uuid IN (SELECT value FROM json_each(?)) AND ended_at IS NULL AND owner = ?`,
    alwaysDue,
    JSON.stringify(uuids),
    database.node,
  )
}

export function* parkedRuns(
  database: Database,
  after: ParkedRun | undefined,
  limit: number,
): Work<readonly ParkedRun[]> {
  return yield* database.all<ParkedRun>(
    `${selectKey}, r.wake_at AS "wakeAt" ${tables}
     WHERE (r.wake_at, r.id) > (?, coalesce((SELECT id FROM runs WHERE uuid = ?), 0)) AND r.wake_at < ?
       AND r.wake_at > 0 AND r.ended_at IS NULL ORDER BY r.wake_at, r.id LIMIT ?`,
    after?.wakeAt ?? alwaysDue + 1,
    after?.uuid ?? null,
    maxWakeAt,
    limit,
  )
}

export function* countQueuedRuns(database: Database): Work<ReadonlyMap<string, number>> {
  const rows = yield* database.all<{ organizationUuid: string; count: number }>(
    `SELECT o.uuid AS "organizationUuid", count(*) AS count ${tables}
     WHERE r.wake_at IS NOT NULL AND r.ended_at IS NULL AND r.started_at IS NULL GROUP BY o.id`,
  )
  return new Map(rows.map(({ organizationUuid, count }) => [organizationUuid, count]))
}

/**
 * Makes the runs due whose turn belongs to a process that is not among the nodes, and ends these turns. A process without failover is never
 * among them: it has no turn yet. The process may also have copied the journals of retries: their next turns continue that, at the same
 * time as another process that has not stopped.
 */
export function* giveUpTurns(database: Database): Work<void> {
  database.forgetTurns()
  yield* database.run(
    `UPDATE runs SET wake_at = ?, owner = NULL, turn = turn + 1, crashes = crashes + 1, convictions = convictions + alone, alone = 0
     WHERE status IN (${active}) AND ended_at IS NULL AND (owner IS NOT NULL OR wake_at IS NULL)
       AND (owner IS NULL OR owner NOT IN (SELECT id FROM nodes WHERE gone_at IS NULL))`,
    leftBehind,
  )
  yield* database.run(
    'UPDATE runs SET wake_at = ? WHERE id IN (SELECT run_id FROM journal_copies)',
    alwaysDue,
  )
}

export function* recoverRuns(database: Database): Work<void> {
  yield* giveUpTurns(database)
  yield* database.run('UPDATE runs SET alone = 0 WHERE alone = 1 AND owner IS NULL')
}

/** Runs left by a stopped process more than once since they were last parked, oldest first. */
export function* suspectRuns(database: Database): Work<readonly SuspectRun[]> {
  return yield* database.all<SuspectRun>(
    `${selectKey}, r.crashes ${tables} WHERE r.wake_at = ? AND r.crashes > 1 AND r.ended_at IS NULL${isNotNewer} ORDER BY r.id`,
    leftBehind,
    ownProgram,
  )
}

export function* setAlone(database: Database, uuid: string, alone: boolean): Work<void> {
  yield* database.run('UPDATE runs SET alone = ? WHERE uuid = ?', Number(alone), uuid)
}

/** Active runs that a newer program has had, by its version. */
export function* runsOfNewer(database: Database): Work<readonly RunsOfVersion[]> {
  const rows = yield* database.all<{ program: string; runs: number }>(
    `SELECT program, count(*) AS runs FROM runs
     WHERE status IN (${active}) AND ended_at IS NULL AND program > ? GROUP BY program ORDER BY program`,
    ownProgram,
  )
  return rows.flatMap(({ program, runs }) => {
    const version = versionOfOrdered(program)
    return version === undefined ? [] : [{ version, runs }]
  })
}

/** Of the runs of this node, and of those without an owner if no other node lives. */
export function* forgetCrashes(database: Database): Work<void> {
  const forget = (crashes: number, which: string, ...values: readonly string[]) =>
    database.run(
      `UPDATE runs SET crashes = ${crashes}, convictions = 0 WHERE status IN (${active}) AND ended_at IS NULL AND ${which}`,
      ...values,
    )
  // Giving up a turn counts a crash: with -1 it becomes 0.
  const { node } = database
  yield* forget(-1, 'owner = ?', node)
  const other = yield* database.get('SELECT 1 FROM nodes WHERE gone_at IS NULL AND id <> ?', node)
  if (other === undefined) yield* forget(0, 'owner IS NULL AND crashes <> 0')
}
