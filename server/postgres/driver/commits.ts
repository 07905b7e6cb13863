import { setTimeout as sleep } from 'node:timers/promises'
import { UnavailableError } from '../../../core/errors/errors.ts'
import { claimedWork, claims, type Claim } from '../../sql/database/request-claims.ts'
import type { Work, WriteScope } from '../../sql/database/work.ts'
import { CommitMark } from './commit-marks.ts'
import {
  failureKind,
  outcomeUnknown,
  postgresBusy,
  postgresClosed,
  postgresUnavailable,
  withKnownOutcome,
} from './errors.ts'
import { attemptGroup, type Attempt, type Grouped } from './group.ts'
import type { ConnectionPool } from './pool.ts'
import { scopeKey } from './exclusion.ts'

export interface CommitsOptions {
  /** Maximum number of queued writes; more are refused. Default 10,000. */
  readonly maxQueued?: number
  /** Maximum number of writes in one transaction. Each holds a lock; PostgreSQL has room for some thousands. Default 200. */
  readonly maxGroup?: number
  /** Maximum number of groups under way, each on a connection of its own. Default 4. */
  readonly maxGroups?: number
  /** Maximum time to collect a group, in milliseconds. Default 5. */
  readonly maxGatherMs?: number
  /** How long a group is repeated after conflicts and lost connections, in milliseconds. Default 30,000. */
  readonly patienceMs?: number
  /** The last check of each transaction, for example of the lease of this node; its error rejects the whole group. */
  readonly beforeCommit?: () => Work<void>
  /** Why writes wait although PostgreSQL answers. Default: not known. */
  readonly findHoldUp?: () => Work<UnavailableError | undefined>
  /** Called after each commit. */
  readonly onCommit?: (commit: { readonly writes: number; readonly durationMs: number }) => void
  /** Called after a commit with what triggers noted in `tocsin.changes`. */
  readonly onChanges?: (changes: string) => void
  /** Called after a rollback: caches may hold what was not committed. */
  readonly onRollback?: () => void
}

interface QueuedWrite extends Grouped {
  readonly claim: Claim | undefined
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

const defaults = { maxQueued: 10_000, maxGroup: 200, maxGroups: 4, maxGatherMs: 5, patienceMs: 30_000 }

/** As in the group commit of SQLite: Node accepts one connection per turn of the event loop. */
const maxTurns = 32

/** Measured: groups of 32 writes cost PostgreSQL a fifth more processor time than groups of 128; groups of 16, half more. */
const worthAGroup = 32

/** Conflicts and lost connections of one group. */
const maxAttempts = 10
const maxPauseMs = 200

type Committed = Extract<Attempt, { outcome: 'committed' }>
type Decided = Committed | Extract<Attempt, { outcome: 'failed' }>

/** What groups that follow one another share. */
interface Slot {
  mark: CommitMark
}

/**
 * Group commit: queued writes are done in transactions of many, several at a time. Writes of one scope keep their order, and never
 * overlap here or, by their locks, on other nodes. A promise resolves only after COMMIT; when it rejects, nothing was written, unless the error says that
 * this is unknown.
 * The error of a write undoes its group, which is repeated in parts: what came before it, that write alone, what came after it.
 */
export class PostgresCommits {
  readonly #pool: ConnectionPool
  readonly #options: typeof defaults & CommitsOptions
  /** Of the groups that are not under way. */
  readonly #marks: CommitMark[] = []
  /** Keys of the writes under way. */
  readonly #busy = new Set<string>()
  #queue: QueuedWrite[] = []
  #groups = 0
  #isGathering = false
  #whenIdle: (() => void)[] = []
  #isClosed = false

  constructor(pool: ConnectionPool, options: CommitsOptions = {}) {
    this.#pool = pool
    this.#options = { ...defaults, ...options }
  }

  /**
   * Rejects with the error of `work`, or with UnavailableError `store_unavailable`, `store_busy` or `store_closed`.
   *
   * @param scope default `all`: no other write overlaps
   */
  write<T>(work: () => Work<T>, scope: WriteScope = 'all'): Promise<T> {
    if (this.#isClosed) return Promise.reject(postgresClosed())
    if (this.#queue.length >= this.#options.maxQueued) return Promise.reject(queueFull(this.#queue.length))
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    const claim = claims.getStore()
    this.#queue.push({
      work: claim === undefined ? work : () => claimedWork(work, claim),
      key: scopeKey(scope),
      claim,
      resolve: resolve as (value: unknown) => void,
      reject,
    })
    this.#gather()
    return promise
  }

  /** Commits the queued writes; later ones are refused. */
  async close(): Promise<void> {
    this.#isClosed = true
    if (this.#queue.length === 0 && this.#groups === 0) return
    await new Promise<void>((resolve) => this.#whenIdle.push(resolve))
  }

  #gather(): void {
    if (this.#isGathering || this.#groups >= this.#options.maxGroups) return
    this.#isGathering = true
    const { maxGroup, maxGatherMs } = this.#options
    const startedAt = performance.now()
    let [before, turns] = [0, 0]
    const look = (): void => {
      const queued = this.#queue.length
      const goesOn = queued > before && queued < maxGroup && turns < maxTurns
      if (goesOn && performance.now() - startedAt < maxGatherMs) {
        before = queued
        turns++
        setImmediate(look)
        return
      }
      this.#isGathering = false
      this.#start()
    }
    setImmediate(look)
  }

  /** Starts as many groups as it can. */
  #start(): void {
    while (this.#groups < this.#options.maxGroups) {
      const group = this.#takeGroup()
      if (group.length === 0) return
      this.#groups++
      const keys = new Set(group.map(({ key }) => key))
      for (const key of keys) this.#busy.add(key)
      void this.#commit(group).finally(() => {
        this.#groups--
        for (const key of keys) this.#busy.delete(key)
        this.#start()
        if (this.#queue.length === 0 && this.#groups === 0)
          for (const resolve of this.#whenIdle.splice(0)) resolve()
      })
    }
  }

  /** In order, without writes whose scope is busy. A write with the key `all` waits until no group is under way. */
  #takeGroup(): readonly QueuedWrite[] {
    const size = this.#sizeOfGroup()
    if (this.#groups === 0) return this.#queue.splice(0, size)
    if (this.#busy.has('all')) return []
    const group: QueuedWrite[] = []
    const left: QueuedWrite[] = []
    for (const [index, write] of this.#queue.entries()) {
      if (write.key === 'all' || group.length === size) {
        left.push(...this.#queue.slice(index))
        break
      }
      if (this.#busy.has(write.key)) left.push(write)
      else group.push(write)
    }
    this.#queue = left
    return group
  }

  /** Leaves something for the groups that can start at the same time, unless it is little. */
  #sizeOfGroup(): number {
    const { maxGroups, maxGroup } = this.#options
    const excludesOthers = this.#queue.some(({ key }, index) => index < maxGroup && key === 'all')
    if (this.#groups === 0 && excludesOthers) return maxGroup
    const share = Math.ceil(this.#queue.length / (maxGroups - this.#groups))
    return Math.min(Math.max(share, worthAGroup), maxGroup)
  }

  /** Settles each write of the group. */
  async #commit(group: readonly QueuedWrite[]): Promise<void> {
    const parts = [group]
    const slot: Slot = { mark: this.#marks.pop() ?? new CommitMark() }
    try {
      while (parts[0] !== undefined) {
        const [part] = parts
        const startedAt = performance.now()
        const decided = await this.#decide(part, slot)
        parts.shift()
        if (decided.outcome === 'committed') {
          this.#settle(part, decided, startedAt)
          continue
        }
        const { index, error } = decided
        const apart = [part.slice(0, index), part.slice(index, index + 1), part.slice(index + 1)]
        if (part.length > 1) parts.unshift(...apart.filter(({ length }) => length > 0))
        else part[0]?.reject(failureKind(error) === 'own' ? error : postgresUnavailable(error))
      }
    } catch (error) {
      const refusal = error instanceof UnavailableError ? error : postgresUnavailable(error)
      for (const { reject } of parts.shift() ?? []) reject(refusal)
      // A write must not commit before earlier ones of the same caller.
      for (const { reject } of [...parts.flat(), ...this.#queue.splice(0)]) reject(withKnownOutcome(refusal))
    }
    this.#marks.push(slot.mark)
  }

  #settle(part: readonly QueuedWrite[], { values, changes }: Committed, startedAt: number): void {
    for (const [index, { claim, resolve }] of part.entries()) {
      claim?.taken()
      resolve(values[index])
    }
    if (changes) this.#options.onChanges?.(changes)
    this.#options.onCommit?.({ writes: part.length, durationMs: performance.now() - startedAt })
  }

  /** Repeats the part until it is committed or one of its writes fails. Rejects if neither can be reached: nothing was written. */
  async #decide(part: readonly QueuedWrite[], slot: Slot): Promise<Decided> {
    const startedAt = performance.now()
    const { patienceMs, beforeCommit } = this.#options
    for (let attempt = 1; ; attempt++) {
      const connection = await this.#pool.acquire()
      const result = await attemptGroup(connection, part, { mark: slot.mark, beforeCommit })
      this.#pool.release(connection)
      if (result.outcome === 'committed') return result
      if (result.outcome === 'unknown' && (await this.#wasCommitted(slot, result.error)))
        return { outcome: 'committed', values: result.values, changes: result.changes }
      this.#options.onRollback?.()
      if (result.outcome === 'failed') return result
      const kind = failureKind(result.error)
      if (kind === 'own' || kind === 'storage') throw result.error
      if (attempt === maxAttempts || performance.now() - startedAt > patienceMs)
        throw kind === 'conflict' ? ((await this.#holdUp()) ?? tooManyConflicts(result.error)) : result.error
      await sleep(Math.random() * Math.min(10 * 2 ** attempt, maxPauseMs))
    }
  }

  /** Asks until PostgreSQL is back. Rejects if it does not come back in time. */
  async #wasCommitted(slot: Slot, cause: unknown): Promise<boolean> {
    const end = performance.now() + this.#options.patienceMs
    while (performance.now() < end) {
      try {
        const connection = await this.#pool.acquire()
        try {
          return await slot.mark.wasCommitted(connection)
        } catch {
          connection.destroy()
        } finally {
          this.#pool.release(connection)
        }
      } catch {
        // Still away.
      }
      await sleep(maxPauseMs)
    }
    // The old one may be locked by its transaction for long.
    slot.mark = new CommitMark()
    throw outcomeUnknown((await this.#holdUp()) ?? postgresUnavailable(cause))
  }

  /** Why writes wait; undefined: not known. */
  async #holdUp(): Promise<UnavailableError | undefined> {
    const { findHoldUp } = this.#options
    if (findHoldUp === undefined) return undefined
    try {
      const connection = await this.#pool.acquire()
      return await connection.drive(findHoldUp()).finally(() => this.#pool.release(connection))
    } catch {
      return undefined
    }
  }
}

const queueFull = (queued: number): UnavailableError =>
  postgresBusy(
    `${queued} writes are already waiting for PostgreSQL`,
    'Send more slowly, or give PostgreSQL faster disks.',
  )

const tooManyConflicts = (cause: unknown): UnavailableError =>
  postgresBusy(
    `other transactions in PostgreSQL kept locks that the write needs: ${(cause as Error).message}`,
    'Look for long transactions in pg_stat_activity.',
    cause,
  )
