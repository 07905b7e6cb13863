import type { Clock } from '../../../core/ports.ts'

interface Sleeper {
  readonly atMs: number
  readonly wake: () => void
}

/** Time that stands still until a test moves it. */
export class ManualClock implements Clock {
  #now = 1_700_000_000_000
  readonly #sleepers = new Set<Sleeper>()

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

  /** Sets the clock to another time without letting any pass: what an operator, or a virtual machine, may do. */
  jump(ms: number): void {
    this.#now += ms
  }

  /** How far away the sleepers are, soonest first. */
  get pending(): readonly number[] {
    return Array.from(this.#sleepers, ({ atMs }) => atMs - this.#now).toSorted((a, b) => a - b)
  }

  /** Lets time pass, waking each sleeper at its time and giving it the turns it needs. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms
    for (;;) {
      await settle()
      const next = [...this.#sleepers].toSorted((a, b) => a.atMs - b.atMs)[0]
      if (next === undefined || next.atMs > end) break
      this.#now = Math.max(this.#now, next.atMs)
      this.#sleepers.delete(next)
      next.wake()
    }
    this.#now = end
    await settle()
  }
}

/** Lets everything happen that needs no time. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 30; turn++) await new Promise((resolve) => setImmediate(resolve))
}
