import { performance } from 'node:perf_hooks'
import { countUnindexed, indexNextAlerts } from './alert-search.ts'
import type { StoreContext } from '../context/store-context.ts'

/** Between two batches, in milliseconds: while little else is to be done, and while much is. */
const quietPauseMs = 10
const busyPauseMs = 200

/** A share of the time in which the process works; at the quiet pace, indexing takes about a quarter. */
const busyShare = 0.5

/** Alerts without index, from which on the index waits for nobody: a search has to do first what is left. */
const maxBehind = 50_000

/**
 * Indexes alerts for searches after they have been stored, so that a sender waits for the alert alone: a few milliseconds at a time,
 * while little else is to be done. A search first does what is left.
 */
export class AlertIndexer {
  readonly #context: StoreContext
  #timer: NodeJS.Timeout | undefined
  #batch: Promise<void> | undefined
  #closed = false
  #utilization = performance.eventLoopUtilization()

  constructor(context: StoreContext) {
    this.#context = context
  }

  /** To be told when an alert was stored, or may have been left behind by an earlier process. */
  soon(): void {
    if (this.#timer === undefined && this.#batch === undefined) this.#pause(busyPauseMs)
  }

  /** Resolves when all that is stored now can be found. Rejects with UnavailableError where that cannot be written. */
  async catchUp(): Promise<void> {
    while ((await this.#behind()) > 0) await this.#indexBatch()
  }

  /** Resolves when nothing is under way. */
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

  /** Never rejects: what cannot be written now is indexed later, and nobody waits for it. */
  async #work(): Promise<void> {
    const pauseMs = await this.#indexNext().catch(() => busyPauseMs)
    this.#batch = undefined
    if (pauseMs !== undefined) this.#pause(pauseMs)
  }

  /** Gives the pause before the next batch; undefined when nothing is left. */
  async #indexNext(): Promise<number | undefined> {
    const behind = await this.#behind()
    if (behind === 0) return undefined
    await this.#indexBatch()
    return behind < maxBehind && this.#isBusy() ? busyPauseMs : quietPauseMs
  }

  /** Since it was last asked. */
  #isBusy(): boolean {
    const before = this.#utilization
    this.#utilization = performance.eventLoopUtilization()
    return performance.eventLoopUtilization(this.#utilization, before).utilization > busyShare
  }

  #behind(): Promise<number> {
    const { database } = this.#context
    return database.read(() => countUnindexed(database))
  }

  #indexBatch(): Promise<void> {
    const { database, commits } = this.#context
    return commits.write(() => indexNextAlerts(database))
  }
}
