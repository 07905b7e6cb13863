import type { Clock } from '../../ports/clock.ts'
import { Sleepers } from './sleepers.ts'

/**
 * A clock that jumps to the next waiter's time when nothing is left to do. It stops during real work
 * (`hold`), so that nothing times out because a machine is slow.
 */
export class VirtualClock implements Clock {
  #now: number
  #held = 0
  #release: (() => void) | undefined
  readonly #sleepers = new Sleepers()

  /** @param startMs epoch milliseconds */
  constructor(startMs: number) {
    this.#now = startMs
  }

  now(): number {
    return this.#now
  }

  sleep(ms: number, signal: AbortSignal): Promise<void> {
    return this.#sleepers.sleepUntil(this.#now + ms, signal)
  }

  /** Stops the clock until the work is done. */
  async hold<T>(work: () => Promise<T>): Promise<T> {
    this.#held++
    try {
      return await work()
    } finally {
      if (--this.#held === 0) this.#release?.()
    }
  }

  /**
   * Advances the clock until the work is done. Rejects if the work rejects, or if it waits for something
   * other than time.
   */
  async drive<T>(work: Promise<T>): Promise<T> {
    let over = false
    const ended = work.finally(() => (over = true))
    ended.catch(() => {})
    for (;;) {
      await nothingLeftToDo()
      if (over) return await ended
      if (this.#held > 0) await new Promise<void>((resolve) => (this.#release = resolve))
      else this.#wakeNext()
    }
  }

  #wakeNext(): void {
    const atMs = this.#sleepers.wakeNext()
    if (atMs === undefined) throw new Error('the run waits for something that never happens')
    this.#now = Math.max(this.#now, atMs)
  }
}

/**
 * Resolves when all work that needs neither time nor an outside answer is done, before the next turn of the
 * event loop.
 */
function nothingLeftToDo(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve))
}
