import { Sleepers } from '../../../core/playbook-test/run/sleepers.ts'
import type { Clock } from '../../../core/ports/clock.ts'

/** Time that stands still until a test moves it. As on a machine, waits are not measured on the clock that can be set. */
export class ManualClock implements Clock {
  #passed = 0
  #setTo = 1_700_000_000_000
  readonly #sleepers = new Sleepers()

  now(): number {
    return this.#setTo + this.#passed
  }

  monotonic(): number {
    return this.#passed
  }

  sleep(ms: number, signal: AbortSignal): Promise<void> {
    return this.#sleepers.sleepUntil(this.#passed + ms, signal)
  }

  /** Sets the clock to another time without letting any pass: what an operator, or a virtual machine, may do. */
  jump(ms: number): void {
    this.#setTo += ms
  }

  /** How far away the sleepers are, soonest first. */
  get pending(): readonly number[] {
    return this.#sleepers.times.map((at) => at - this.#passed)
  }

  /** Lets time pass, waking each sleeper at its time and giving it the turns it needs. */
  async advance(ms: number): Promise<void> {
    const end = this.#passed + ms
    for (;;) {
      await settle()
      const [next] = this.#sleepers.times
      if (next === undefined || next > end) break
      this.#passed = Math.max(this.#passed, next)
      this.#sleepers.wakeNext()
    }
    this.#passed = end
    await settle()
  }
}

/** Lets everything happen that needs no time. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 30; turn++) await new Promise((resolve) => setImmediate(resolve))
}
