/** Those who wait on a clock that is moved by hand: each at a time of that clock, epoch milliseconds. */
export class Sleepers {
  /** In the order in which they fell asleep: among equals the first wakes first. */
  readonly #all = new Set<Sleeper>()

  /** Resolves when woken; rejects with the signal's reason when it is aborted first. */
  async sleepUntil(atMs: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const sleeper = { atMs, wake: resolve }
    const abort = () => reject(signal.reason as Error)
    signal.addEventListener('abort', abort, { once: true })
    this.#all.add(sleeper)
    try {
      await promise
    } finally {
      this.#all.delete(sleeper)
      signal.removeEventListener('abort', abort)
    }
  }

  /** When they wake, soonest first. */
  get times(): readonly number[] {
    return Array.from(this.#all, ({ atMs }) => atMs).toSorted((a, b) => a - b)
  }

  /** Wakes the one whose time comes first, and gives that time; undefined when nobody sleeps. */
  wakeNext(): number | undefined {
    let next: Sleeper | undefined
    for (const sleeper of this.#all) if (next === undefined || sleeper.atMs < next.atMs) next = sleeper
    if (next === undefined) return undefined
    this.#all.delete(next)
    next.wake()
    return next.atMs
  }
}

interface Sleeper {
  readonly atMs: number
  readonly wake: () => void
}
