import type { Work } from '../database/work.ts'
import { performance } from 'node:perf_hooks'
import { EventLoopLoad } from '../../../core/common/time-slice.ts'
import { countUnindexed, indexNextAlerts } from './alert-search.ts'
import type { ListedRows } from '../context/listed-rows.ts'
import { countNextEntries, countNextQuestions, countNextRuns } from '../numbers/count-rows.ts'
import { SqlStore, type StoreContext } from '../context/store-context.ts'

/** Milliseconds between two batches while the process is idle, and while it is busy. At the idle pace, indexing takes about a quarter of the time. */
const quietPauseMs = 10
const busyPauseMs = 200

/** Runs are counted when they are this old. */
const settlingMs = 2_000

/** With this many alerts to index, the pace is the idle one even in a busy process, because a search must index them first. */
const maxBehind = 50_000

/**
 * Indexes alerts for searches, and rows for lists, in the background, in batches of a few milliseconds, so that senders do not wait
 * for it. A search first indexes the remaining alerts.
 */
export class AlertIndexer extends SqlStore {
  readonly #listed: ListedRows
  #timer: NodeJS.Timeout | undefined
  /** The newest run some time ago. */
  #seenRuns: { readonly row: number; readonly atMs: number } | undefined
  /** With several writers, an alert may become visible after alerts with higher keys; up to this key all are. */
  #completeTo: number
  #batch: Promise<void> | undefined
  #closed = false
  readonly #load = new EventLoopLoad()

  constructor(context: StoreContext, listed: ListedRows) {
    super(context)
    this.#listed = listed
    this.#completeTo = this.database.hasOneWriter ? Number.MAX_SAFE_INTEGER : 0
  }

  /** To be called after an alert was stored, and at the start. */
  soon(): void {
    if (this.#timer === undefined && this.#batch === undefined) this.#pause(busyPauseMs)
  }

  /** Resolves when all stored alerts are indexed. Rejects with UnavailableError if the index cannot be written. */
  async catchUp(): Promise<void> {
    if ((await this.#behind(Number.MAX_SAFE_INTEGER)) === 0) return
    if (!this.database.hasOneWriter) await this.write(() => this.#noteComplete())
    while ((await this.#behind(this.#completeTo)) > 0) await this.#indexBatch()
  }

  /** Resolves after the current batch. */
  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    await this.#batch
  }

  #pause(ms: number): void {
    if (this.#closed) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#batch = this.#work()
    }, ms).unref()
  }

  /** Never rejects: a failed batch is repeated later. */
  async #work(): Promise<void> {
    const pauseMs = await this.#indexNext().catch(() => busyPauseMs)
    this.#batch = undefined
    if (pauseMs !== undefined) this.#pause(pauseMs)
  }

  /** Gives the pause before the next batch; undefined when nothing is left. */
  async #indexNext(): Promise<number | undefined> {
    const behind = await this.#behind(Number.MAX_SAFE_INTEGER)
    const isListing = await this.read(() => this.#listed.isBehind())
    if (behind === 0 && !isListing) return undefined
    const now = performance.now()
    if (this.#listed.isDue(now) || this.#areRunsDue(now))
      await this.write(function* () {
        if (!this.database.hasOneWriter) yield* this.#noteComplete()
        yield* this.#listed.listSettled(now)
        yield* this.#countSettled(now)
      })
    if ((await this.#behind(this.#completeTo)) === 0) return busyPauseMs
    await this.#indexBatch()
    return behind < maxBehind && this.#load.isBusy() ? busyPauseMs : quietPauseMs
  }

  #areRunsDue(nowMs: number): boolean {
    return this.#seenRuns === undefined || nowMs - this.#seenRuns.atMs >= settlingMs
  }

  /** Counts runs that are old enough to have ended, mostly: a run that ends later is written once more. */
  *#countSettled(nowMs: number): Work<void> {
    if (!this.#areRunsDue(nowMs)) return
    if (this.#seenRuns !== undefined) {
      yield* countNextRuns(this.database, this.#seenRuns.row)
      yield* countNextEntries(this.database)
      yield* countNextQuestions(this.database)
    }
    const { row } = yield* this.database.one<{ row: number }>('SELECT coalesce(max(id), 0) AS row FROM runs')
    this.#seenRuns = { row, atMs: nowMs }
  }

  /** Inside of a write that excludes all others: what it sees is complete. */
  *#noteComplete(): Work<void> {
    const { row } = yield* this.database.one<{ row: number }>(
      'SELECT coalesce(max(id), 0) AS row FROM alerts',
    )
    this.#completeTo = row
  }

  #behind(upTo: number): Promise<number> {
    return this.read(() => countUnindexed(this.database, upTo))
  }

  #indexBatch(): Promise<void> {
    return this.writeIn({ row: 'alerts_indexed_to' }, () => indexNextAlerts(this.database, this.#completeTo))
  }
}
