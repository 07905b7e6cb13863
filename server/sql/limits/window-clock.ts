import type { Work } from '../database/work.ts'
import type { Clock } from '../../../core/ports/clock.ts'

/**
 * The clock of limits within a time. It starts at the system time, or at the newest recorded use if that is later, and then counts
 * elapsed time: setting the system clock forward makes no room, and setting it back does not block for long.
 */
export class WindowClock {
  readonly #clock: Pick<Clock, 'now' | 'monotonic'>
  readonly #newest: () => Work<number>
  #offset: number | undefined

  /** @param newest time of the newest recorded use, or 0; called once */
  constructor(clock: Pick<Clock, 'now' | 'monotonic'>, newest: () => Work<number>) {
    this.#clock = clock
    this.#newest = newest
  }

  /** In whole milliseconds; the monotonic clock has fractions. */
  *now(): Work<number> {
    const passed = this.#clock.monotonic?.()
    if (passed === undefined) return this.#clock.now()
    this.#offset ??= Math.max(this.#clock.now(), yield* this.#newest()) - passed
    return Math.floor(this.#offset + passed)
  }
}
