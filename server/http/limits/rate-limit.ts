import type { Clock } from '../../../core/ports/clock.ts'

export interface RateLimitOptions {
  readonly perSecond: number
  /** At once, after a pause. */
  readonly burst: number
  readonly clock: Pick<Clock, 'now'>
}

/** Senders that are remembered; of more, the one that was quiet for longest is forgotten. */
const maxSenders = 10_000

/**
 * How many milliseconds a sender has to wait before its next request; 0: it may go on, and that counts.
 *
 * The generic cell rate algorithm: of each sender, only the time is kept at which all that it sent would have come at an even rate.
 */
export function createRateLimit({ perSecond, burst, clock }: RateLimitOptions): (sender: string) => number {
  const intervalMs = 1_000 / perSecond
  const dueAt = new Map<string, number>()
  return (sender) => {
    const now = clock.now()
    const due = Math.max(dueAt.get(sender) ?? 0, now)
    const waitMs = due - now - (burst - 1) * intervalMs
    if (waitMs > 0) return waitMs
    dueAt.delete(sender)
    dueAt.set(sender, due + intervalMs)
    const [quietest] = dueAt.keys()
    if (dueAt.size > maxSenders && quietest !== undefined) dueAt.delete(quietest)
    return 0
  }
}
