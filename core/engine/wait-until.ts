import { cancelled, GroupTimeoutError } from './attempt.ts'
import { RunSuspended, type SleepWork } from './durable-context.ts'
import type { LocalRun } from './local-run.ts'

/** Timers of the platform follow no clock that is set meanwhile, and end at 2^31 ms: look at the clock at least so often. */
const longestNapMs = 5 * 60_000

/**
 * Resolves when the clock shows `untilMs`. Rejects with TimeoutError when the work's deadline comes first, with CancelledError
 * when the run is cancelled, with RunSuspended when it stops here.
 */
export async function waitUntil(
  local: LocalRun,
  work: Pick<SleepWork, 'deadlineMs' | 'shielded'>,
  untilMs: number,
): Promise<void> {
  const wakeAtMs = Math.min(untilMs, work.deadlineMs)
  const signal = work.shielded ? local.stop : AbortSignal.any([local.stop, local.cancel])
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
  if (signal.aborted) throw cancelled()
  if (work.deadlineMs <= untilMs && work.deadlineMs < Infinity) throw new GroupTimeoutError()
}
