import { createBackground } from '../common/background.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import { onlyProcess, type ExclusiveWork } from '../ports/nodes/exclusive-work.ts'

/** Takes up alerts that a process has stored and did not queue, such as a node that was lost. */
export interface LeftBehindWatch {
  start(): void
  /** Resolves after the reads that are in progress. */
  stop(): Promise<void>
}

export interface LeftBehindOptions {
  /** Takes up the alerts that were stored until a time in epoch milliseconds, and are not queued. */
  readonly takeUp: (until: number) => Promise<void>
  /** Default: this process is the only one. */
  readonly exclusive?: ExclusiveWork | undefined
  readonly clock: Clock
  readonly log: Log
}

/** Between two looks, and the age of the alerts: a process that queues one takes seconds at most. */
const lookMs = 60_000

export function createLeftBehindWatch({
  takeUp,
  exclusive = onlyProcess,
  clock,
  log,
}: LeftBehindOptions): LeftBehindWatch {
  const background = createBackground(clock, work)

  async function work(): Promise<void> {
    for (;;) {
      await background.rest(lookMs)
      if (background.signal.aborted) return
      await look().catch((error: unknown) =>
        log.warn({ error }, 'could not look for alerts left behind; trying again in a minute'),
      )
    }
  }

  async function look(): Promise<void> {
    // One of them may crash the process: one node at a time.
    if (await exclusive.isMine('alerts_left_behind')) await takeUp(clock.now() - lookMs)
  }

  return background
}
