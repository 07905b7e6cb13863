import { performance } from 'node:perf_hooks'
import QuickLRU from 'quick-lru'
import type { Work } from './work.ts'

/** Tables with fewer rows are counted each time, in a millisecond or two. */
const countedEachTime = 20_000

/**
 * A count is reused for this many times its duration, so that counting takes at most a hundredth of the time.
 */
const timesLonger = 100
const maxMs = 60_000

interface Kept {
  readonly total: number
  readonly until: number
}

/** Cached counts of large lists, which are slow and requested repeatedly by open pages. */
export class CountCache {
  readonly #now: () => number
  readonly #kept = new QuickLRU<string, Kept>({ maxSize: 1_000 })

  /** @param now in milliseconds */
  constructor(now = () => performance.now()) {
    this.#now = now
  }

  /**
   * @param key identifies the count
   * @param rows approximate rows of the whole table
   */
  *total(key: string, rows: number, count: () => Work<number>): Work<number> {
    if (rows < countedEachTime) return yield* count()
    const began = this.#now()
    const kept = this.#kept.get(key)
    if (kept !== undefined && kept.until > began) return kept.total
    const total = yield* count()
    const now = this.#now()
    this.#kept.set(key, { total, until: now + Math.min(maxMs, (now - began) * timesLonger) })
    return total
  }
}
