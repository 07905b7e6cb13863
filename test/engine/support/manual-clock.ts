import { Sleepers } from '../../../core/playbook-test/sleepers.ts'
import type { Clock } from '../../../core/ports.ts'

/** Time that stands still until a test moves it. */
export class ManualClock implements Clock {
  #now = 1_700_000_000_000
  readonly #sleepers = new Sleepers()

  now(): number {
    return this.#now
  }

  sleep(ms: number, signal: AbortSignal): Promise<void> {
    return this.#sleepers.sleepUntil(this.#now + ms, signal)
  }

  /** Sets the clock to another time without letting any pass: what an operator, or a virtual machine, may do. */
  jump(ms: number): void {
    this.#now += ms
  }

  /** How far away the sleepers are, soonest first. */
  get pending(): readonly number[] {
    return this.#sleepers.times.map((atMs) => atMs - this.#now)
  }

  /** Lets time pass, waking each sleeper at its time and giving it the turns it needs. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms
    for (;;) {
      await settle()
      const [next] = this.#sleepers.times
      if (next === undefined || next > end) break
      this.#now = Math.max(this.#now, next)
      this.#sleepers.wakeNext()
    }
    this.#now = end
    await settle()
  }
}

/** Lets everything happen that needs no time. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 30; turn++) await new Promise((resolve) => setImmediate(resolve))
}
