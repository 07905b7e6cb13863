import { createBackground } from '../common/background.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import { onlyProcess, type ExclusiveWork } from '../ports/nodes/exclusive-work.ts'
import type { Stores } from '../ports/stores.ts'

/** Tells people in the background what becomes due: escalations, and missed targets of cases. */
export interface DueNotifications {
  start(): void
  /** Resolves when the current write is done. */
  stop(): Promise<void>
}

/** Delay between two looks. */
const lookMs = 10_000

export function createDueNotifications({
  stores,
  exclusive = onlyProcess,
  clock,
  log,
}: {
  readonly stores: Pick<Stores, 'notifications'>
  /** Default: this process is the only one. */
  readonly exclusive?: ExclusiveWork | undefined
  readonly clock: Clock
  readonly log: Log
}): DueNotifications {
  const background = createBackground(clock, work)
  const { signal } = background

  async function work(): Promise<void> {
    while (!signal.aborted) {
      await tellAll().catch((error: unknown) =>
        log.warn({ error }, 'could not tell people what is due; trying again soon'),
      )
      await background.rest(lookMs)
    }
  }

  async function tellAll(): Promise<void> {
    if (!(await exclusive.isMine('notifications'))) return
    for (let isMore = true; isMore && !signal.aborted;) isMore = await stores.notifications.tellDue()
  }

  return background
}
