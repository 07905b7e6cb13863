import { RetryableError, type RateBudget, type RateLimit } from '../../plugin/index.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Egress, EgressRequest, EgressResponse } from '../../ports/egress.ts'
import { retryAfterOf } from './status-error.ts'
import type { Traffic } from './traffic.ts'

export interface SendInTurnOptions {
  readonly egress: Egress
  readonly clock: Clock
  readonly traffic: Traffic
  /** When the caller no longer needs the answer: epoch milliseconds, or Infinity. */
  readonly deadlineMs: number
  /**
   * For requests that may wait: they use at most this share of each rate limit (0 to 1), and are refused while others wait. Default:
   * the whole limit.
   */
  readonly budgetShare?: number | undefined
}

/** The rate budget of a request. */
export interface ConnectionBudget extends RateBudget {
  readonly connection: string
  readonly connectionUuid: string
}

/** Longest wait; a request that would wait longer is retried later by the engine. */
const maxWaitMs = 10_000
/** Longest effective Retry-After, so that a faulty value does not close a connection for days. */
const maxClosedMs = 5 * 60_000

/**
 * Sends a request at its turn. Creates it only then, so that a timestamp in it is current. Rejects with
 * RetryableError `rate_limited`, without sending, if the turn would come too late; otherwise like the egress.
 */
export async function sendInTurn(
  signal: AbortSignal,
  make: () => EgressRequest,
  budget: ConnectionBudget,
  options: SendInTurnOptions,
): Promise<EgressResponse> {
  const { egress, clock, traffic } = options
  await waitForTurn(signal, budget, options)
  const response = await egress.send(make())
  if (response.status === 429) {
    const askedMs = retryAfterOf(response, clock.now())
    if (askedMs !== undefined)
      traffic.budgets.pause({
        connectionUuid: budget.connectionUuid,
        name: budget.bucket,
        forMs: Math.min(askedMs, maxClosedMs),
      })
  }
  return response
}

/** Resolves at the turn of a request or socket. Rejects with RetryableError `rate_limited` if it would come too late. */
export async function waitForTurn(
  signal: AbortSignal,
  budget: ConnectionBudget,
  { clock, traffic, deadlineMs, budgetShare }: Omit<SendInTurnOptions, 'egress'>,
): Promise<void> {
  const bucket = traffic.budgets.bucket(budget.connectionUuid, budget.bucket)
  const now = clock.now()
  // Reserves half of the remaining time for the exchange.
  const latestMs = now + Math.min(maxWaitMs, (deadlineMs - now) / 2)
  const refuse = (waitMs: number, isClosed: boolean) => overBudget(budget, waitMs, isClosed)
  if (budgetShare === undefined || budget.limits.length === 0) {
    await bucket.take({ limits: budget.limits, latestMs, signal, refuse })
    return
  }
  const limits = budget.limits.map((limit) => shareOf(limit, budgetShare))
  const own = traffic.budgets.bucket(budget.connectionUuid, `${budget.bucket} (share)`)
  await own.take({ limits, latestMs, signal, refuse })
  // Never ahead of a request that waits, and never in line itself.
  if (bucket.isWaitedFor) throw refuse(behindOthersMs, false)
  await bucket.take({ limits: budget.limits, latestMs: clock.now(), signal, refuse })
}

/** When a request tries again that found others waiting. */
const behindOthersMs = 1_000

/** At least one request, in a longer time. */
function shareOf({ requests, perMs }: RateLimit, share: number): RateLimit {
  const part = requests * share
  return part >= 1 ? { requests: Math.floor(part), perMs } : { requests: 1, perMs: Math.ceil(perMs / part) }
}

/** @param asked whether the other system requested the pause (429), not our own limits */
function overBudget(
  { connection, bucket }: ConnectionBudget,
  waitMs: number,
  asked: boolean,
): RetryableError {
  const retryAfterMs = Math.ceil(waitMs)
  const seconds = `${retryAfterMs / 1000} s`
  const [message, hint] = asked
    ? [
        `the other system asked connection '${connection}' to pause (429); the pause ends in ${seconds}`,
        'too many requests, possibly by other clients with the same credentials: try again then',
      ]
    : [
        `connection '${connection}' reached the rate limit of its plugin; next request possible in ${seconds}`,
        'try again then',
      ]
  const details = { connection, bucket, sent: false }
  return new RetryableError('rate_limited', message, { hint, retryAfterMs, details })
}
