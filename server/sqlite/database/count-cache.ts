import { performance } from 'node:perf_hooks'
import QuickLRU from 'quick-lru'

/** A table with fewer rows than this is counted each time: that takes a millisecond or two. */
const countedEachTime = 20_000

/** How much longer than it took a count is used again, so that counting takes a hundredth of the time at most. */
const timesLonger = 100
const maxMs = 60_000

interface Kept {
  readonly total: number
  readonly until: number
}

/** Counts of large lists, which take long and are asked for again and again by whoever looks at the list. */
export class CountCache {
  readonly #now: () => number
  readonly #kept = new QuickLRU<string, Kept>({ maxSize: 1_000 })

  /** @param now in milliseconds */
  constructor(now = () => performance.now()) {
    this.#now = now
  }

  /**
   * @param key tells one count from every other
   * @param rows of the whole table, about
   */
  total(key: string, rows: number, count: () => number): number {
    if (rows < countedEachTime) return count()
    const began = this.#now()
    const kept = this.#kept.get(key)
    if (kept !== undefined && kept.until > began) return kept.total
    const total = count()
    const now = this.#now()
    this.#kept.set(key, { total, until: now + Math.min(maxMs, (now - began) * timesLonger) })
    return total
  }
}
