import { UnavailableError } from '../../../core/errors/errors.ts'
import type { Transactions, Work } from '../../sql/database/work.ts'
import type { SqliteConnection } from './connection.ts'
import { done, type SqliteDatabase } from './sqlite-database.ts'
import type { ChangeWatch } from './change-watch.ts'
import { claimedWork, claims, type Claim } from '../../sql/database/request-claims.ts'
import { isStorageFailure, storeClosed, storeUnavailable } from './storage-errors.ts'

export interface GroupCommitOptions {
  /** Maximum number of queued writes; more are refused. Default 10,000. */
  readonly maxQueued?: number
  /** Maximum number of writes in one transaction. Default 500. */
  readonly maxGroup?: number
  /** Maximum time to collect a group, in milliseconds. Default 5. */
  readonly maxGatherMs?: number
  /** Called before each commit; an error rolls back and rejects the whole group. Default: no check. */
  readonly beforeCommit?: () => void
  /** Called after each commit. */
  readonly onCommit?: (commit: Commit) => void
  /** Reports the changes of the writes. */
  readonly changes?: Pick<ChangeWatch, 'noted' | 'undone' | 'committed'>
}

/** Cost of one transaction. */
export interface Commit {
  readonly writes: number
  /** From BEGIN to the end of the fsync. */
  readonly durationMs: number
}

interface QueuedWrite {
  readonly work: () => Work<unknown>
  readonly claim: Claim | undefined
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

/**
 * Maximum turns of the event loop to collect a group. Node accepts one connection per turn: otherwise,
 * clients that open a connection for each request would get a commit for each request.
 */
const maxTurns = 32

type Outcome =
  { readonly failed: false; readonly value: unknown } | { readonly failed: true; readonly error: unknown }

/**
 * Group commit: writes are queued and run in order in one transaction, so that a hundred of them share one
 * fsync. A group ends after a turn of the event loop without a new write, or at its limits. A promise
 * resolves only after COMMIT.
 * An error thrown by a write rolls back and rejects that write only: the transaction starts again, then with
 * a savepoint for each write, which would cost as much as a small write if always used. An error of the disk
 * (full, read-only, failing fsync) rolls back and rejects the group and all queued writes, so that writes of
 * one caller keep their order. Writes are synchronous and change only the database, since they may be rolled
 * back and repeated.
 */
export class GroupCommit implements Transactions {
  readonly #database: SqliteDatabase
  readonly #maxQueued: number
  readonly #maxGroup: number
  readonly #maxGatherMs: number
  readonly #beforeCommit: GroupCommitOptions['beforeCommit']
  readonly #onCommit: GroupCommitOptions['onCommit']
  readonly #changes: GroupCommitOptions['changes']
  readonly #connection: SqliteConnection
  #queue: QueuedWrite[] = []
  #turn: Promise<void> | undefined
  #closed = false

  constructor(database: SqliteDatabase, options: GroupCommitOptions = {}) {
    this.#database = database
    this.#connection = database.connection
    this.#maxQueued = options.maxQueued ?? 10_000
    this.#maxGroup = options.maxGroup ?? 500
    this.#maxGatherMs = options.maxGatherMs ?? 5
    this.#beforeCommit = options.beforeCommit
    this.#onCommit = options.onCommit
    this.#changes = options.changes
  }

  /**
   * Rejects with the error of `work`, or with UnavailableError `store_unavailable`, `store_busy` or
   * `store_closed`.
   */
  write<T>(work: () => Work<T>): Promise<T> {
    if (this.#closed) return Promise.reject(storeClosed())
    if (this.#queue.length >= this.#maxQueued) return Promise.reject(storeBusy(this.#maxQueued))
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    const claim = claims.getStore()
    this.#queue.push({
      work: claim === undefined ? work : () => claimedWork(work, claim),
      claim,
      resolve: resolve as (value: unknown) => void,
      reject,
    })
    this.#turn ??= this.#scheduleTurn()
    return promise
  }

  async read<T>(work: () => Work<T>): Promise<T> {
    if (!this.#connection.isOpen) throw storeClosed()
    try {
      return done(work())
    } catch (error) {
      throw isStorageFailure(error) ? storeUnavailable(error) : error
    }
  }

  /** Commits the queued writes; later ones are refused. */
  async close(): Promise<void> {
    this.#closed = true
    while (this.#turn !== undefined) await this.#turn
  }

  #scheduleTurn(): Promise<void> {
    return new Promise((resolve) => {
      const startedAt = performance.now()
      let [before, turns] = [0, 0]
      const look = (): void => {
        const queued = this.#queue.length
        const isGathering = queued > before && queued < this.#maxGroup && turns < maxTurns
        if (isGathering && performance.now() - startedAt < this.#maxGatherMs) {
          before = queued
          turns++
          setImmediate(look)
          return
        }
        this.#commit(this.#takeGroup())
        if (this.#queue.length > 0) this.#turn ??= this.#scheduleTurn()
        resolve()
      }
      setImmediate(look)
    })
  }

  #takeGroup(): readonly QueuedWrite[] {
    this.#turn = undefined
    return this.#queue.splice(0, this.#maxGroup)
  }

  #commit(group: readonly QueuedWrite[]): void {
    const startedAt = performance.now()
    let outcomes: readonly Outcome[]
    try {
      this.#connection.run('BEGIN IMMEDIATE')
      outcomes = this.#together(group) ?? this.#apart(group)
      this.#beforeCommit?.()
      this.#connection.run('COMMIT')
    } catch (error) {
      this.#rollBack()
      const refusal = error instanceof UnavailableError ? error : storeUnavailable(error)
      // A write must not commit before earlier ones of the same caller.
      for (const { reject } of [...group, ...this.#queue.splice(0)]) reject(refusal)
      return
    }
    for (const [index, outcome] of outcomes.entries()) {
      const write = group[index]
      if (outcome.failed) {
        write?.reject(outcome.error)
      } else {
        write?.claim?.taken()
        write?.resolve(outcome.value)
      }
    }
    this.#changes?.committed()
    this.#onCommit?.({ writes: group.length, durationMs: performance.now() - startedAt })
  }

  /** Undefined if a write failed; the transaction was then restarted. */
  #together(group: readonly QueuedWrite[]): readonly Outcome[] | undefined {
    try {
      return group.map(({ work }) => ({ failed: false, value: done(work()) }))
    } catch (error) {
      if (isStorageFailure(error)) throw error
      this.#connection.run('ROLLBACK')
      this.#database.forgetRead()
      this.#changes?.undone()
      this.#connection.run('BEGIN IMMEDIATE')
      return undefined
    }
  }

  #apart(group: readonly QueuedWrite[]): readonly Outcome[] {
    return group.map(({ work }) => this.#attempt(work))
  }

  #attempt(work: () => Work<unknown>): Outcome {
    const noted = this.#changes?.noted
    this.#connection.run('SAVEPOINT one_write')
    try {
      const value = done(work())
      this.#connection.run('RELEASE one_write')
      return { failed: false, value }
    } catch (error) {
      if (isStorageFailure(error)) throw error
      this.#connection.run('ROLLBACK TO one_write')
      this.#database.forgetRead()
      this.#changes?.undone(noted)
      this.#connection.run('RELEASE one_write')
      return { failed: true, error }
    }
  }

  #rollBack(): void {
    this.#database.forgetRead()
    this.#changes?.undone()
    try {
      if (this.#connection.inTransaction) this.#connection.run('ROLLBACK')
    } catch {
      // The group is already rejected; a connection stuck in a transaction fails the next BEGIN, which
      // reports why.
    }
  }
}

function storeBusy(queued: number): UnavailableError {
  return new UnavailableError('store_busy', `${queued} writes are already waiting for the disk`, {
    retryAfterMs: 1000,
    hint: 'Send more slowly, or use a faster disk for the data directory.',
  })
}
