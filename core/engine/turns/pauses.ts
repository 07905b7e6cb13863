import { authorOf, type Actor } from '../../domain/audit.ts'
import type { Pause } from '../../domain/pause.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { PauseStore } from '../../ports/runs/pause-store.ts'
import type { Runner } from './runner.ts'

/** Lets people hold all runs, for as long as it takes to mend what runs do wrong; also over restarts. */
export interface Pauses {
  /** Goes on as an earlier process was told to. To be called before the first run is taken up. */
  start(): Promise<void>
  current(): Pause | undefined
  /**
   * The steps under way end, and nothing begins after them. Gives the pause that holds, which may be an earlier one. Where it cannot be
   * kept, which throws UnavailableError, it holds until it is ended or this process ends.
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
    if (current === undefined)
      log.warn({ reason: pause.reason }, 'runs are paused: alerts are taken in, and wait')
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
      // At once, and whether it can be kept or not: it may be an emergency.
      begin(current ?? { reason, by: authorOf(by), since: clock.now() })
      const pause = await store.pause(reason, by)
      begin(pause)
      return pause
    },
    async resume(by) {
      await store.resume(by)
      current = undefined
      runner.resume()
      log.info({}, 'runs go on')
    },
  }
}
