/** Waiters on a manual clock, each until a time of that clock in epoch milliseconds. */
export class Sleepers {
  /** In the order of their calls; with equal times, the first wakes first. */
  readonly #all = new Set<Sleeper>()

  /** Resolves when woken; rejects with the signal's reason if it is aborted first. */
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

  /** The wake-up times, soonest first. */
  get times(): readonly number[] {
    return Array.from(this.#all, ({ atMs }) => atMs).toSorted((a, b) => a - b)
  }

  /** Wakes the earliest waiter and returns its time; undefined if there is none. */
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
