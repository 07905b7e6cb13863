import type { Clock } from '../../../core/ports/clock.ts'
import { MemoryState } from '../../../core/state/memory-state.ts'
import { Crash } from './crashing-journal.ts'

/** State that survives the processes of a named engine: by name, as JSON. */
export interface Kept {
  readonly results: Map<string, string>
  readonly watchers: Set<() => void>
  readonly state: MemoryState
}

export const nothingKept = (): Kept => ({ results: new Map(), watchers: new Set(), state: new MemoryState() })

/**
 * The minimal interface of an external durable engine: work done once and stored by name, promises that
 * others may resolve (the first wins), and timers. One object is one process.
 */
export class NamedEngine {
  readonly #kept: Kept
  readonly #clock: Clock
  readonly #dies: { readonly at: number; readonly when: 'before' | 'after' } | undefined
  writes = 0

  /** @param crashes at its n-th write, just before or just after it is stored */
  constructor(kept: Kept, clock: Clock, dies?: { readonly at: number; readonly when: 'before' | 'after' }) {
    this.#kept = kept
    this.#clock = clock
    this.#dies = dies
  }

  peek<T>(name: string): T | undefined {
    const text = this.#kept.results.get(name)
    return text === undefined ? undefined : (JSON.parse(text) as T)
  }

  async run<T>(name: string, work: () => T | Promise<T>): Promise<T> {
    return this.peek<T>(name) ?? (await this.resolve(name, await work()))
  }

  /** Returns the stored value: this one, or an earlier one. */
  resolve<T>(name: string, value: T): Promise<T> {
    return this.commit(name, () => value)
  }

  /** The same with a change of state in the same write. */
  async commit<T>(name: string, change: (state: MemoryState) => T): Promise<T> {
    const number = ++this.writes
    const { at = Infinity, when } = this.#dies ?? {}
    // Yields to other tasks before continuing.
    await new Promise((resolve) => setImmediate(resolve))
    if (number > at || (number === at && when === 'before')) throw new Crash()
    if (!this.#kept.results.has(name)) this.#kept.results.set(name, JSON.stringify(change(this.#kept.state)))
    for (const tell of this.#kept.watchers) tell()
    if (number === at) throw new Crash()
    return this.peek<T>(name)!
  }

  /** Undefined when the clock shows `untilMs` first. Rejects with the signal's reason. */
  async promise<T>(name: string, untilMs: number, signal: AbortSignal): Promise<T | undefined> {
    while (this.peek(name) === undefined && this.#clock.now() < untilMs) {
      const told = new AbortController()
      const tell = () => told.abort()
      this.#kept.watchers.add(tell)
      try {
        const nap = Math.min(untilMs - this.#clock.now(), 300_000)
        await this.#clock.sleep(nap, AbortSignal.any([signal, told.signal]))
      } catch {
        signal.throwIfAborted()
      } finally {
        this.#kept.watchers.delete(tell)
      }
    }
    return this.peek<T>(name)
  }
}
