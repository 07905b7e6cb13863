import { RetryableError, type RateBudget } from '../../plugin/index.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Egress, EgressRequest, EgressResponse } from '../../ports/egress.ts'
import { retryAfterOf } from './status-error.ts'
import type { Traffic } from './traffic.ts'

export interface SendInTurnOptions {
  readonly egress: Egress
  readonly clock: Clock
  readonly traffic: Traffic
  /** Epoch milliseconds, or Infinity: when whoever waits for the answer has no use for it any more. */
  readonly deadlineMs: number
}

/** What a request counts against. */
export interface Budget extends RateBudget {
  readonly connection: string
  readonly connectionUuid: string
}

/** One who waits for longer makes room for others, and comes back. */
const maxWaitMs = 10_000
/** Of what another system asks for: a mistake of its must not close a connection for days. */
const maxClosedMs = 5 * 60_000

/**
 * Sends when it is the request's turn; it is made only then, so that a time in it is that of its sending. Rejects with RetryableError `rate_limited`, without having sent, where the turn would come
 * too late; otherwise as the way out does.
 */
export async function sendInTurn(
  signal: AbortSignal,
  make: () => EgressRequest,
  budget: Budget,
  { egress, clock, traffic, deadlineMs }: SendInTurnOptions,
): Promise<EgressResponse> {
  const bucket = traffic.budgets.bucket(budget.connectionUuid, budget.bucket)
  const now = clock.now()
  await bucket.take({
    limits: budget.limits,
    // The exchange itself wants some of the time that is left.
    latestMs: now + Math.min(maxWaitMs, (deadlineMs - now) / 2),
    signal,
    refuse: (waitMs, isClosed) => overBudget(budget, waitMs, isClosed),
  })
  const response = await egress.send(make())
  if (response.status === 429) {
    const askedMs = retryAfterOf(response.headers, clock.now())
    if (askedMs !== undefined) bucket.close(clock.now() + Math.min(askedMs, maxClosedMs))
  }
  return response
}

/** `asked`: the other system has asked for the pause (429); else it is ours, to stay below its limits. */
function overBudget({ connection, bucket }: Budget, waitMs: number, asked: boolean): RetryableError {
  const retryAfterMs = Math.ceil(waitMs)
  const seconds = `${retryAfterMs / 1000} s`
  const [message, hint] = asked
    ? [
        `the other system has asked connection '${connection}' for a pause (429), which is over in ${seconds}`,
        'it has had too many requests, maybe also of others with the same credentials: try again then',
      ]
    : [
        `connection '${connection}' has sent as much as the other system takes; there is room in ${seconds}`,
        'requests are kept below the limits that its plugin declares: try again then',
      ]
  const details = { connection, bucket, sent: false }
  return new RetryableError('rate_limited', message, { hint, retryAfterMs, details })
}
