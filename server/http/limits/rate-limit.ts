import type { Clock } from '../../../core/ports/clock.ts'

export interface RateLimitOptions {
  readonly perSecond: number
  /** Maximum burst after a pause. */
  readonly burst: number
  readonly clock: Pick<Clock, 'now'>
}

/** Maximum number of tracked senders; beyond it, the sender that was idle for longest is dropped. */
const maxSenders = 10_000

/**
 * Returns the milliseconds until the sender may send its next request; 0 accepts and counts the request.
 *
 * The generic cell rate algorithm: keeps one time per sender, at which its requests would have arrived at an
 * even rate.
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
