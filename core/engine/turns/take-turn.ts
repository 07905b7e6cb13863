import type { Run } from '../../domain/run.ts'
import type { ClaimedRun, ParkedRun, RunKey } from '../../ports/runs/run-store.ts'
import { firstTurn, duringTurn, isTurnLost } from '../../ports/runs/turn.ts'
import { runTurn, type GivenTurn, type TurnControls, type TurnOptions } from './run-turn.ts'
import type { QueuedRun } from './turn-queue.ts'

export interface GiveTurnOptions extends TurnOptions {
  /** Aborted when the process ends: no more retries. */
  readonly ending: AbortSignal
  /** Aborted while runs are paused. */
  readonly hold: () => AbortSignal
  /** New controls for each attempt, registered with the runner. */
  readonly renewControls: (key: RunKey) => TurnControls
  /** Starts the next run of the same concurrency key, which the store knows already. */
  readonly wake: (next: RunKey) => void
}

/** Backoff while the store is unavailable. */
export const firstRetryMs = 1_000
const longestRetryMs = 60_000

/**
 * Takes a run from the store and gives it one turn. Retries while the store is unavailable; the run keeps its
 * place, so that other runs do not meet the same error. Never rejects.
 *
 * @returns the parked run; undefined if it was not parked
 */
export async function giveTurn(
  { key, alert, isNew, ...queued }: QueuedRun,
  options: GiveTurnOptions,
): Promise<ParkedRun | undefined> {
  const { log } = options
  const { runs } = options.stores
  let claimed: ClaimedRun | undefined = queued.run && { run: queued.run, turn: firstTurn, soloCrashes: 0 }
  for (let trouble = 0; ; trouble++) {
    try {
      if (claimed === undefined) {
        const taken = await runs.take(key.uuid)
        if (taken === undefined || 'wakeAt' in taken) return taken
        claimed = taken
      } else if (trouble > 0) {
        const run = await runs.find('all', key.uuid)
        if (run === undefined) return undefined
        claimed = { ...claimed, run }
      }
      const { run, turn, soloCrashes } = claimed
      const known = { soloCrashes, alert, isNew: isNew === true && trouble === 0 }
      return await duringTurn({ run: key.uuid, number: turn }, () => goOn(run, known, options))
    } catch (error) {
      if (isTurnLost(error)) {
        log.warn({ run: key.uuid }, 'this turn of the run is over: another one continues it')
        return undefined
      }
      const delayMs = Math.min(firstRetryMs * 2 ** trouble, longestRetryMs)
      log.error({ run: key.uuid, error, delay_ms: delayMs }, 'cannot continue the run; trying again')
      if (await endsWithin(delayMs, options)) return undefined
    }
  }
}

/** Rejects if the store failed. */
async function goOn(
  run: Run,
  known: Pick<GivenTurn, 'soloCrashes' | 'alert' | 'isNew'>,
  options: GiveTurnOptions,
): Promise<ParkedRun | undefined> {
  const { uuid, organizationUuid } = run
  const { runs } = options.stores
  const controls = options.renewControls(run)
  const end = await runTurn(options, { run, ...known, controls, hold: options.hold() })
  if (end === 'over') {
    const next = run.exclusive ? await runs.nextInLine(uuid) : undefined
    if (next) options.wake(next)
    return undefined
  }
  // The store has parked the run; the previous run may have ended since then.
  if (end === 'held') return await heldRun(run, options)
  // Not parked if it was woken since its turn began.
  const isParked = await runs.park(uuid, end.againAtMs)
  return { uuid, organizationUuid, wakeAt: isParked ? end.againAtMs : 0 }
}

async function heldRun(
  { uuid, organizationUuid, playbookName: playbook }: Run,
  { stores, clock, log }: GiveTurnOptions,
): Promise<ParkedRun> {
  const wakeAt = await stores.runs.heldUntil(uuid)
  const delayMs = wakeAt - clock.now()
  if (delayMs > 0 && delayMs < Infinity)
    log.debug({ run: uuid, playbook, delay_ms: delayMs }, 'run waits for the rate limit of its playbook')
  return { uuid, organizationUuid, wakeAt }
}

const endsWithin = (ms: number, { clock, ending }: GiveTurnOptions): Promise<boolean> =>
  clock.sleep(ms, ending).then(
    () => false,
    () => true,
  )
