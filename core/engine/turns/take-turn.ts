import type { Alert } from '../../domain/alert.ts'
import type { Run } from '../../domain/run.ts'
import type { ParkedRun, RunKey } from '../../ports/runs/run-store.ts'
import { runTurn, type TurnControls, type TurnOptions } from './run-turn.ts'
import type { QueuedRun } from './turn-queue.ts'

export interface TakeTurnOptions extends TurnOptions {
  /** Aborted when the process ends: nothing is tried again. */
  readonly ending: AbortSignal
  /** Aborted while no run may go on. */
  readonly hold: () => AbortSignal
  /** Fresh controls for each try, which the runner reaches. */
  readonly renewControls: (key: RunKey) => TurnControls
  /** The next run of the same concurrency key may begin; the store knows it already. */
  readonly wake: (next: RunKey) => void
}

/** While the store cannot be used. */
export const firstRetryMs = 1_000
const longestRetryMs = 60_000

/**
 * Takes a run from the store and gives it one turn. Tries again while the store cannot be used: the run keeps its place meanwhile, so
 * that no others come into the same trouble. Never rejects.
 *
 * @returns the run as it was parked; undefined where it was not
 */
export async function takeTurn(
  { key, alert, ...queued }: QueuedRun,
  options: TakeTurnOptions,
): Promise<ParkedRun | undefined> {
  const { log } = options
  const { runs } = options.stores
  let { run } = queued
  let convictions = 0
  for (let trouble = 0; ; trouble++) {
    try {
      if (trouble > 0) run = await runs.find('all', key.uuid)
      else if (run === undefined) {
        const taken = await runs.take(key.uuid)
        if (taken === undefined || 'wakeAt' in taken) return taken
        ;({ run, convictions } = taken)
      }
      return run && (await goOn(run, convictions, alert, options))
    } catch (error) {
      const delayMs = Math.min(firstRetryMs * 2 ** trouble, longestRetryMs)
      log.error({ run: key.uuid, error, delay_ms: delayMs }, 'the run cannot go on for now')
      if (await endsWithin(delayMs, options)) return undefined
    }
  }
}

/** Rejects where the store spoiled it. */
async function goOn(
  run: Run,
  convictions: number,
  alert: Alert | undefined,
  options: TakeTurnOptions,
): Promise<ParkedRun | undefined> {
  const { uuid, organizationUuid } = run
  const { runs } = options.stores
  const controls = options.renewControls(run)
  const end = await runTurn(options, { run, alert, convictions, controls, hold: options.hold() })
  if (end === 'over') {
    const next = run.exclusive ? await runs.nextInLine(uuid) : undefined
    if (next) options.wake(next)
    return undefined
  }
  // The store knows it as parked until the one before it has ended, which may have happened already.
  if (end === 'held') return { uuid, organizationUuid, wakeAt: Infinity }
  // Not parked: it was woken since it was taken.
  const isParked = await runs.park(uuid, end.againAtMs)
  return { uuid, organizationUuid, wakeAt: isParked ? end.againAtMs : 0 }
}

/** Whether the process ends before this time is over. */
const endsWithin = (ms: number, { clock, ending }: TakeTurnOptions): Promise<boolean> =>
  clock.sleep(ms, ending).then(
    () => false,
    () => true,
  )
