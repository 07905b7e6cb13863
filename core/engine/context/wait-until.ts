import { cancelled, GroupTimeoutError } from './attempt.ts'
import { RunSuspended, type SleepWork } from '../journal/durable-context.ts'
import type { LocalRun } from '../journal/local-run.ts'

/** Timers ignore changes of the system clock and are limited to 2^31 ms, so the clock is read at least this often. */
const longestNapMs = 5 * 60_000

/**
 * Resolves at `untilMs`, or at the wake-up. Rejects with TimeoutError at the deadline, CancelledError if the run
 * is cancelled, and RunSuspended if it stops.
 */
export async function waitUntil(
  local: LocalRun,
  work: Pick<SleepWork, 'deadlineMs' | 'shielded'>,
  untilMs: number,
  wakeUp?: AbortSignal,
): Promise<void> {
  const wakeAtMs = Math.min(untilMs, work.deadlineMs)
  const ended = work.shielded ? [local.stop] : [local.stop, local.cancel]
  const signal = AbortSignal.any(wakeUp ? [...ended, wakeUp] : ended)
  try {
    await local.idle.resting(wakeAtMs, async () => {
      for (let left = wakeAtMs - local.clock.now(); left > 0; left = wakeAtMs - local.clock.now()) {
        await local.clock.sleep(Math.min(left, longestNapMs), signal)
      }
    })
  } catch (error) {
    if (!signal.aborted) throw error
  }
  if (local.stop.aborted) throw new RunSuspended()
  if (!work.shielded && local.cancel.aborted) throw cancelled()
  if (wakeUp?.aborted === true) return
  if (work.deadlineMs <= untilMs && work.deadlineMs < Infinity) throw new GroupTimeoutError()
}

/** Calls `look` at every wake-up, and when `over` is aborted, until it returns a value. Undefined at `untilMs`; rejects like `waitUntil`. */
export async function lookUntil<T>(
  local: LocalRun,
  work: Pick<SleepWork, 'deadlineMs' | 'shielded'>,
  untilMs: number,
  look: () => Promise<T | undefined>,
  over?: AbortSignal,
): Promise<T | undefined> {
  for (;;) {
    const next = local.wakeUps.next()
    const wakeUp = over === undefined ? next : AbortSignal.any([next, over])
    const found = await look()
    if (found !== undefined) return found
    if (local.clock.now() >= untilMs || over?.aborted === true) return undefined
    await waitUntil(local, work, untilMs, wakeUp)
  }
}
