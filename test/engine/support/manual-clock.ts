import { Sleepers } from '../../../core/playbook-test/run/sleepers.ts'
import type { Clock } from '../../../core/ports/clock.ts'

/** A clock that a test moves. As on a real machine, setting the clock does not affect waits. */
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

  /** Sets the clock without passing time, as an operator or a virtual machine may do. */
  jump(ms: number): void {
    this.#setTo += ms
  }

  /** Remaining times of the sleepers, soonest first. */
  get pending(): readonly number[] {
    return this.#sleepers.times.map((at) => at - this.#passed)
  }

  /** Passes time, waking each sleeper at its time and running its tasks. */
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

/** Runs everything that needs no time. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 30; turn++) await new Promise((resolve) => setImmediate(resolve))
}
