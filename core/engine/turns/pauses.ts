import { authorOf, type Actor } from '../../domain/audit.ts'
import type { Pause } from '../../domain/pause.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { PauseStore } from '../../ports/runs/pause-store.ts'
import type { Runner } from './runner.ts'

/** Pauses all runs of the server, also over restarts. */
export interface Pauses {
  /** Restores the pause of an earlier process. Call before the first run begins. */
  start(): Promise<void>
  current(): Pause | undefined
  /**
   * Lets the current steps end and begins no others. Returns the effective pause, which may be an earlier one. If
   * it cannot be stored (UnavailableError), it still holds until it is ended or the process ends.
   */
  pause(reason: string, by: Actor): Promise<Pause>
  resume(by: Actor): Promise<void>
}

export interface PausesOptions {
  readonly store: PauseStore
  readonly runner: Pick<Runner, 'pause' | 'resume'>
  readonly clock: Clock
  readonly log: Log
}

export function createPauses({ store, runner, clock, log }: PausesOptions): Pauses {
  let current: Pause | undefined

  function begin(pause: Pause): void {
    if (current === undefined) log.warn({ reason: pause.reason }, 'runs are paused; new alerts wait')
    current = pause
    runner.pause()
  }

  return {
    async start() {
      const pause = await store.get()
      if (pause) begin(pause)
    },
    current: () => current,
    async pause(reason, by) {
      // Before it is stored: it may be an emergency.
      begin(current ?? { reason, by: authorOf(by), since: clock.now() })
      const pause = await store.pause(reason, by)
      begin(pause)
      return pause
    },
    async resume(by) {
      await store.resume(by)
      current = undefined
      runner.resume()
      log.info({}, 'runs resumed')
    },
  }
}
