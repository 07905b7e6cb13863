import { TocsinError } from '../plugin/index.ts'
import type { EventWait, NextEvents, StoredEvent } from '../ports/runs/event-wait-store.ts'

/** Events that are read at a time. */
export const eventBatch = 100

const shortestPauseMs = 1_000
const longestPauseMs = 30_000

/** The pause after events without a match; if there are many of them, a run reads them in batches. */
export const pauseMs = (misses: number): number =>
  misses === 0 ? 0 : Math.min(longestPauseMs, shortestPauseMs * 2 ** Math.min(misses - 1, 10))

/** The first event that matches, and the counts up to it. */
export interface Look {
  readonly found: StoredEvent | undefined
  readonly counts: Omit<EventWait, 'misses'>
}

/**
 * Looks through events in order. An event whose condition fails is counted and does not match.
 *
 * @param untilMs events at or after this time do not count, in epoch milliseconds
 */
export function lookThrough(
  { events }: Pick<NextEvents, 'events'>,
  before: Look['counts'],
  untilMs: number,
  matches: (event: StoredEvent) => boolean,
): Look {
  let { examined, failed, lastFailure } = before
  for (const event of events) {
    if (event.at >= untilMs) continue
    examined++
    try {
      if (event.isGiven === true || matches(event))
        return { found: event, counts: { examined, failed, lastFailure } }
    } catch (error) {
      if (!(error instanceof TocsinError)) throw error
      failed++
      lastFailure = error.message.slice(0, 500).toWellFormed()
    }
  }
  return { found: undefined, counts: { examined, failed, lastFailure } }
}
