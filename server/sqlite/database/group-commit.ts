import { UnavailableError } from '../../../core/errors/errors.ts'
import type { Database } from './database.ts'
import type { ChangeWatch } from './change-watch.ts'
import { claims, type Claim } from './request-claims.ts'
import { isStorageFailure, storeClosed, storeUnavailable } from './storage-errors.ts'

export interface GroupCommitOptions {
  /** Writes waiting for a transaction; more are refused. Default 10,000. */
  readonly maxQueued?: number
  /** Writes in one transaction; the rest follows in the next turn. Default 500. */
  readonly maxGroup?: number
  /** Called before each commit; what it throws undoes and rejects all of it. Default: nothing is looked at. */
  readonly beforeCommit?: () => void
  /** Is told of each commit, after it. */
  readonly onCommit?: (commit: Commit) => void
  /** Tells of what the writes change. */
  readonly changes?: Pick<ChangeWatch, 'noted' | 'undone' | 'committed'>
}

/** What one transaction took. */
export interface Commit {
  readonly writes: number
  /** From its begin to the end of its wait for the disk. */
  readonly durationMs: number
}

interface QueuedWrite {
  readonly work: () => unknown
  readonly claim: Claim | undefined
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

type Outcome =
  { readonly failed: false; readonly value: unknown } | { readonly failed: true; readonly error: unknown }

/**
 * Group commit: writes queue up, and one transaction per turn of the event loop runs them in order, so that a hundred of them
 * share one wait for the disk. A promise resolves only after COMMIT has returned.
 *
 * What a write throws undoes it alone and rejects its promise alone: the transaction begins anew then, with a savepoint for each
 * write, which costs as much as a small write itself and is not made before it is needed. What the disk does (full, read-only,
 * failing fsync) undoes the group and rejects all of it, and all that was queued behind it, so that writes of one caller never
 * change their order.
 * A write is synchronous and changes nothing but the database, since it may be undone after it has returned, and run again.
 */
export class GroupCommit {
  readonly #database: Database
  readonly #maxQueued: number
  readonly #maxGroup: number
  readonly #beforeCommit: GroupCommitOptions['beforeCommit']
  readonly #onCommit: GroupCommitOptions['onCommit']
  readonly #changes: GroupCommitOptions['changes']
  #queue: QueuedWrite[] = []
  #turn: Promise<void> | undefined
  #closed = false

  constructor(database: Database, options: GroupCommitOptions = {}) {
    this.#database = database
    this.#maxQueued = options.maxQueued ?? 10_000
    this.#maxGroup = options.maxGroup ?? 500
    this.#beforeCommit = options.beforeCommit
    this.#onCommit = options.onCommit
    this.#changes = options.changes
  }

  /** Rejects with what `work` throws, or with UnavailableError `store_unavailable`, `store_busy` or `store_closed`. */
  write<T>(work: () => T): Promise<T> {
    if (this.#closed) return Promise.reject(storeClosed())
    if (this.#queue.length >= this.#maxQueued) return Promise.reject(storeBusy(this.#maxQueued))
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    const claim = claims.getStore()
    this.#queue.push({
      work: claim === undefined ? work : claimed(work, claim),
      claim,
      resolve: resolve as (value: unknown) => void,
      reject,
    })
    this.#turn ??= this.#scheduleTurn()
    return promise
  }

  /** A write that changes what `Database.cache` keeps: organizations, providers, keys, connections. */
  writeConfiguration<T>(work: () => T): Promise<T> {
    return this.write(() => {
      const result = work()
      this.#database.cache.forget()
      return result
    })
  }

  /** Commits what is queued; later writes are refused. */
  async close(): Promise<void> {
    this.#closed = true
    while (this.#turn !== undefined) await this.#turn
  }

  #scheduleTurn(): Promise<void> {
    return new Promise((resolve) => {
      setImmediate(() => {
        const group = this.#queue.splice(0, this.#maxGroup)
        this.#turn = undefined
        this.#commit(group)
        if (this.#queue.length > 0) this.#turn ??= this.#scheduleTurn()
        resolve()
      })
    })
  }

  #commit(group: readonly QueuedWrite[]): void {
    const startedAt = performance.now()
    let outcomes: readonly Outcome[]
    try {
      this.#database.run('BEGIN IMMEDIATE')
      outcomes = this.#together(group) ?? this.#apart(group)
      this.#beforeCommit?.()
      this.#database.run('COMMIT')
    } catch (error) {
      this.#rollBack()
      const refusal = error instanceof UnavailableError ? error : storeUnavailable(error)
      // What was written after it is not done before it.
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

  /** Undefined, in a transaction as new, where one of them threw. */
  #together(group: readonly QueuedWrite[]): readonly Outcome[] | undefined {
    try {
      return group.map(({ work }) => ({ failed: false, value: work() }))
    } catch (error) {
      if (isStorageFailure(error)) throw error
      this.#database.run('ROLLBACK')
      this.#database.cache.forget()
      this.#changes?.undone()
      this.#database.run('BEGIN IMMEDIATE')
      return undefined
    }
  }

  #apart(group: readonly QueuedWrite[]): readonly Outcome[] {
    return group.map(({ work }) => this.#attempt(work))
  }

  #attempt(work: () => unknown): Outcome {
    const noted = this.#changes?.noted
    this.#database.run('SAVEPOINT one_write')
    try {
      const value = work()
      this.#database.run('RELEASE one_write')
      return { failed: false, value }
    } catch (error) {
      if (isStorageFailure(error)) throw error
      this.#database.run('ROLLBACK TO one_write')
      this.#database.cache.forget()
      this.#changes?.undone(noted)
      this.#database.run('RELEASE one_write')
      return { failed: true, error }
    }
  }

  #rollBack(): void {
    this.#database.cache.forget()
    this.#changes?.undone()
    try {
      if (this.#database.inTransaction) this.#database.run('ROLLBACK')
    } catch {
      // The group is rejected already; a connection that stays in a transaction fails the next BEGIN, which says why.
    }
  }
}

/** In one commit. */
function claimed<T>(work: () => T, claim: Claim): () => T {
  return () => {
    const result = work()
    claim.take(result)
    return result
  }
}

function storeBusy(queued: number): UnavailableError {
  return new UnavailableError('store_busy', `${queued} writes are waiting for the disk already`, {
    retryAfterMs: 1000,
    hint: 'Send more slowly, or use a faster disk for the data directory.',
  })
}
