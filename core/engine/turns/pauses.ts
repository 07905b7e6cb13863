import { authorOf, type Actor } from '../../domain/audit.ts'
import type { Pause } from '../../domain/pause.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import { noSignals, type Signals } from '../../ports/nodes/signals.ts'
import type { PauseStore } from '../../ports/runs/pause-store.ts'
import type { Runner } from './runner-types.ts'

/** Pauses all runs of the server, also over restarts. */
export interface Pauses {
  /** Restores the pause of an earlier process. Call before the first run begins. */
  start(): Promise<void>
  current(): Pause | undefined
  /** Follows a pause that another node has begun or ended. Rejects with UnavailableError. */
  refresh(): Promise<void>
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
  /** Default: there are no other nodes. */
  readonly signals?: Signals | undefined
  readonly clock: Clock
  readonly log: Log
}

export function createPauses({ store, runner, signals = noSignals, clock, log }: PausesOptions): Pauses {
  let current: Pause | undefined
  /** The pause is in the store. */
  let isStored = false
  /** Counts the pauses and resumptions of this node, when they begin and when they are stored. */
  let changes = 0

  function begin(pause: Pause): void {
    if (current === undefined) log.warn({ reason: pause.reason }, 'runs are paused; new alerts wait')
    current = pause
    runner.pause()
  }

  function end(): void {
    current = undefined
    isStored = false
    runner.resume()
    log.info({}, 'runs resumed')
  }

  async function change<T>(write: Promise<T>): Promise<T> {
    changes++
    try {
      return await write
    } finally {
      changes++
    }
  }

  async function refresh(): Promise<void> {
    const before = changes
    const pause = await store.get()
    // What was read may be older than a change of this node.
    if (changes !== before || changes % 2 === 1) return
    if (pause) {
      begin(pause)
      isStored = true
    } else if (isStored) end()
  }

  return {
    start: refresh,
    refresh,
    current: () => current,
    async pause(reason, by) {
      // Before it is stored: it may be an emergency.
      begin(current ?? { reason, by: authorOf(by), since: clock.now() })
      const pause = await change(store.pause(reason, by))
      begin(pause)
      isStored = true
      signals.publish({ kind: 'pause_changed' })
      return pause
    },
    async resume(by) {
      await change(store.resume(by))
      end()
      signals.publish({ kind: 'pause_changed' })
    },
  }
}
