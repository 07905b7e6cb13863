import { performance } from 'node:perf_hooks'
import { EventLoopLoad } from '../../../core/common/time-slice.ts'
import { countUnindexed, indexNextAlerts } from './alert-search.ts'
import type { ListedRows } from '../context/listed-rows.ts'
import { countNextEntries, countNextQuestions, countNextRuns } from '../numbers/count-rows.ts'
import { SqliteStore, type StoreContext } from '../context/store-context.ts'

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
export class AlertIndexer extends SqliteStore {
  readonly #listed: ListedRows
  #timer: NodeJS.Timeout | undefined
  /** The newest run some time ago. */
  #seenRuns: { readonly row: number; readonly atMs: number } | undefined
  #batch: Promise<void> | undefined
  #closed = false
  readonly #load = new EventLoopLoad()

  constructor(context: StoreContext, listed: ListedRows) {
    super(context)
    this.#listed = listed
  }

  /** To be called after an alert was stored, and at the start. */
  soon(): void {
    if (this.#timer === undefined && this.#batch === undefined) this.#pause(busyPauseMs)
  }

  /** Resolves when all stored alerts are indexed. Rejects with UnavailableError if the index cannot be written. */
  async catchUp(): Promise<void> {
    while ((await this.#behind()) > 0) await this.#indexBatch()
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
    const behind = await this.#behind()
    const isListing = await this.database.read(() => this.#listed.isBehind())
    if (behind === 0 && !isListing) return undefined
    await this.commits.write(() => {
      indexNextAlerts(this.database)
      this.#listed.listSettled(performance.now())
      this.#countSettled(performance.now())
    })
    if (behind === 0) return busyPauseMs
    return behind < maxBehind && this.#load.isBusy() ? busyPauseMs : quietPauseMs
  }

  /** Counts runs that are old enough to have ended, mostly: a run that ends later is written once more. */
  #countSettled(nowMs: number): void {
    const seen = this.#seenRuns
    if (seen !== undefined && nowMs - seen.atMs < settlingMs) return
    if (seen !== undefined) {
      countNextRuns(this.database, seen.row)
      countNextEntries(this.database)
      countNextQuestions(this.database)
    }
    const { row } = this.database.one<{ row: number }>('SELECT ifnull(max(id), 0) AS row FROM runs')
    this.#seenRuns = { row, atMs: nowMs }
  }

  #behind(): Promise<number> {
    return this.database.read(() => countUnindexed(this.database))
  }

  #indexBatch(): Promise<void> {
    return this.commits.write(() => indexNextAlerts(this.database))
  }
}
