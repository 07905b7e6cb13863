import type { Stepwise } from '../state/stepwise.ts'
import type { RateLimit } from '../plugin/index.ts'

/** The starts that a rate limit counts, and those that wait, as seen by one start. */
export interface RateLine<Ask, Answer> {
  /** Other starts within the window; need not be counted beyond the limit. */
  readonly recent: number
  /** Starts that wait before it; need not be counted beyond the limit. */
  readonly ahead: number
  /** The time planned for it; undefined: none yet. */
  readonly plannedAt: number | undefined
  /** Time of the start that `back` others followed. */
  readonly startedAt: (back: number) => Stepwise<number | undefined, Ask, Answer>
  /** Time planned for the start that waits before it, with `back` others in between. */
  readonly waitsUntil: (back: number) => Stepwise<number | undefined, Ask, Answer>
}

/** The time after which a start no longer counts. */
export const leavesWindow = (at: number, { perMs }: RateLimit): number => at + perMs

/**
 * When a start may happen: `now`, or a later time at which to ask again. In any window, no more start than the limit
 * allows, and in the order in which they asked. All times are in epoch milliseconds.
 */
export function* planStart<Ask, Answer>(
  limit: RateLimit,
  line: RateLine<Ask, Answer>,
  now: number,
): Stepwise<number, Ask, Answer> {
  const { requests, perMs } = limit
  if (line.recent + line.ahead < requests) return now
  if (line.plannedAt !== undefined && line.plannedAt > now) return line.plannedAt
  const { ahead } = line
  const before = yield* ahead >= requests
    ? line.waitsUntil(requests - 1)
    : line.startedAt(requests - ahead - 1)
  const at = before === undefined ? now : leavesWindow(before, limit)
  // Those ahead are late, for example after a restart: they start first.
  return at > now ? at : now + Math.ceil(perMs / requests)
}
