import type { Statement, Told, Work } from '../../sql/database/work.ts'
import { CommitMark } from './commit-marks.ts'
import type { PostgresConnection } from './connection.ts'
import { driveWork } from './drive-work.ts'
import { failureKind, isCancelled } from './errors.ts'
import { HeldLocks, LockStatement, lockStatements, TurnFence, TurnStatement } from './exclusion.ts'

/** A write of a group. */
export interface Grouped {
  readonly work: () => Work<unknown>
  /** What it excludes; see `scopeKey`. */
  readonly key: string
}

interface Done {
  /** Results of the writes. */
  readonly values: readonly unknown[]
  /** What triggers noted, if something was changed. */
  readonly changes: string | undefined
}

export type Attempt =
  | ({ readonly outcome: 'committed' } & Done)
  /** The write at this index failed: nothing was written. */
  | { readonly outcome: 'failed'; readonly index: number; readonly error: unknown }
  /** Nothing was written, through no fault of a write. */
  | { readonly outcome: 'broken'; readonly error: unknown }
  /** The connection was lost during COMMIT. */
  | ({ readonly outcome: 'unknown'; readonly error: unknown } & Done)

export interface GroupOptions {
  readonly mark: CommitMark
  /** The last check of a transaction; its error rejects the group. */
  readonly beforeCommit: (() => Work<void>) | undefined
}

const begin: Statement = { sql: 'BEGIN ISOLATION LEVEL READ COMMITTED', values: [] }

/** Why an attempt ended early. */
interface Failure {
  readonly error: unknown
  /** Of the write whose error it is. */
  readonly index: number | undefined
}

/**
 * Does a group of writes in one transaction. Writes with different keys take turns, so that their statements travel together; writes
 * with the same key follow one another, and one with the key `all` is alone. The connection is left outside of a transaction, or
 * destroyed.
 */
export async function attemptGroup(
  connection: PostgresConnection,
  group: readonly Grouped[],
  options: GroupOptions,
): Promise<Attempt> {
  const done = await doWrites(connection, group, options)
  if ('failure' in done) return rollBack(connection, done.failure)
  try {
    await connection.query('COMMIT')
    return { outcome: 'committed', ...done }
  } catch (error) {
    if (failureKind(error) !== 'lost') return rollBack(connection, { error, index: undefined })
    connection.destroy()
    return { outcome: 'unknown', error, ...done }
  }
}

/** Everything between BEGIN and COMMIT. A write begins when the one before it asks for nothing more, and so do the last checks. */
function doWrites(
  connection: PostgresConnection,
  group: readonly Grouped[],
  { mark, beforeCommit }: GroupOptions,
): Promise<Done | { readonly failure: Failure }> {
  return new Promise((resolve) => {
    const values: unknown[] = []
    const locks = new HeldLocks()
    const fence = new TurnFence()
    let isOver = false
    const fail = (error: unknown, index?: number): void => {
      if (isOver) return // the first error is the cause of the others
      isOver = true
      connection.forgetUnsent()
      resolve({ failure: { error, index } })
    }
    const follow = (lane: readonly number[], at: number, laneEnded: () => void): void => {
      const index = lane[at]
      const write = index === undefined ? undefined : group[index]
      if (index === undefined || write === undefined) return laneEnded()
      driveWork(startedBy(write.work), {
        ended(value) {
          values[index] = value
          locks.release(index)
          follow(lane, at + 1, laneEnded)
        },
        fail: (error) => fail(error, index),
        isOver: () => isOver,
        ask(statement, tell) {
          const take = (): void => connection.ask(statement, tell)
          if (statement instanceof TurnStatement) return fence.want(statement, tell)
          if (!(statement instanceof LockStatement)) return take()
          locks.want(statement, index, take, () => tell({ rows: [], count: 0 }, undefined))
        },
      })
    }
    const check = (): void => {
      fence.check((statement, tell) => connection.ask(statement, tell))
      // Answered last: then no statement has failed.
      const end = (noted: Told | undefined, error: unknown): void => {
        if (noted === undefined) fail(error)
        else if (!isOver) resolve({ values, changes: CommitMark.changesIn(noted) })
      }
      if (beforeCommit === undefined) return connection.ask(mark.next(), end)
      driveWork(beforeCommit(), {
        ended: () => connection.ask(mark.next(), end),
        fail,
        isOver: () => isOver,
        ask: (statement, tell) => connection.ask(statement, tell),
      })
    }
    const stages = stagesOf(group)
    const nextStage = (): void => {
      const lanes = stages.shift()
      if (lanes === undefined) return check()
      let left = lanes.length
      const laneEnded = (): void => {
        if (--left === 0) nextStage()
      }
      for (const lane of lanes) follow(lane, 0, laneEnded)
    }
    // Sent together with the first statements of the writes.
    for (const statement of [begin, ...lockStatements(new Set(group.map(({ key }) => key)))])
      connection.ask(statement, (_, error) => error !== undefined && fail(error))
    nextStage()
  })
}

/** A function that throws before it gives a work fails like its work. */
function* startedBy(work: () => Work<unknown>): Work<unknown> {
  return yield* work()
}

/**
 * Indices of writes: stages follow one another, the lanes of a stage take turns, and the writes of a lane follow one another. The server does
 * not keep writes of one transaction apart, so those that concern an organization, which may also change rows of its runs, take no turns with
 * others.
 */
function stagesOf(group: readonly Grouped[]): (readonly (readonly number[])[])[] {
  const stages: number[][][] = []
  let lanes = new Map<string, number[]>()
  let wide: number[] = []
  const endStage = (): void => {
    if (lanes.size > 0) stages.push([...lanes.values()])
    if (wide.length > 0) stages.push([wide])
    lanes = new Map()
    wide = []
  }
  for (const [index, { key }] of group.entries()) {
    if (key === 'all') {
      endStage()
      stages.push([[index]])
      continue
    }
    const lane = key.startsWith('organization ') ? wide : lanes.get(key)
    if (lane === undefined) lanes.set(key, [index])
    else lane.push(index)
  }
  endStage()
  return stages
}

async function rollBack(connection: PostgresConnection, { error, index }: Failure): Promise<Attempt> {
  const kind = failureKind(error)
  if (kind === 'lost') connection.destroy()
  else await connection.query('ROLLBACK').catch(() => connection.destroy())
  const isOfWrite = kind === 'own' || isCancelled(error)
  return isOfWrite && index !== undefined ? { outcome: 'failed', index, error } : { outcome: 'broken', error }
}
