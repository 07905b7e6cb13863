import type { Clock } from '../../ports/clock.ts'
import { Sleepers } from './sleepers.ts'

/**
 * Time that passes at once: when nothing is left to do, it jumps to the next time that somebody waits for. Work that takes real
 * time (`hold`) keeps it where it is, so that nothing times out because a machine is slow.
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

  /** Time stands still until the work is over. */
  async hold<T>(work: () => Promise<T>): Promise<T> {
    this.#held++
    try {
      return await work()
    } finally {
      if (--this.#held === 0) this.#release?.()
    }
  }

  /** Lets time pass until the work is over. Rejects as it does, and when it waits for nothing that time could bring. */
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

/** All that needs no time and no answer from outside happens before the next turn of the event loop. */
function nothingLeftToDo(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve))
}
