import type { Clock } from '../ports.ts'

interface Sleeper {
  readonly atMs: number
  readonly wake: () => void
}

/**
 * Time that passes at once: when nothing is left to do, it jumps to the next time that somebody waits for. Work that takes real
 * time (`hold`) keeps it where it is, so that nothing times out because a machine is slow.
 */
export class VirtualClock implements Clock {
  #now: number
  #held = 0
  #release: (() => void) | undefined
  /** In the order in which they fell asleep: among equals the first wakes first. */
  readonly #sleepers = new Set<Sleeper>()

  /** @param startMs epoch milliseconds */
  constructor(startMs: number) {
    this.#now = startMs
  }

  now(): number {
    return this.#now
  }

  async sleep(ms: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const sleeper = { atMs: this.#now + ms, wake: resolve }
    const abort = () => reject(signal.reason as Error)
    signal.addEventListener('abort', abort, { once: true })
    this.#sleepers.add(sleeper)
    try {
      await promise
    } finally {
      this.#sleepers.delete(sleeper)
      signal.removeEventListener('abort', abort)
    }
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
    let next: Sleeper | undefined
    for (const sleeper of this.#sleepers) if (next === undefined || sleeper.atMs < next.atMs) next = sleeper
    if (next === undefined) throw new Error('the run waits for something that never happens')
    this.#now = Math.max(this.#now, next.atMs)
    this.#sleepers.delete(next)
    next.wake()
  }
}

/** All that needs no time and no answer from outside happens before the next turn of the event loop. */
function nothingLeftToDo(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve))
}
