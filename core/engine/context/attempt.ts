import type { HeldUses } from '../../domain/destructive-use.ts'
import { CancelledError, TimeoutError } from '../../errors/errors.ts'
import { callLater, type Clock } from '../../ports/clock.ts'
import type { Effect } from '../../plugin/index.ts'
import { RunSuspended, type EffectAttempt } from '../journal/durable-context.ts'
import { afterChange, isOutcomeUnknown, mayHaveHappened, withEffect } from './retry-class.ts'

export interface AttemptLimits {
  readonly timeoutMs: number
  /** Deadline of the group around the step, in epoch milliseconds, or Infinity. */
  readonly deadlineMs: number
  /** Cancels the run; undefined for shielded steps. */
  readonly cancel: AbortSignal | undefined
  /** Stops the run in this process, without a result. */
  readonly stop: AbortSignal
}

/**
 * Runs `call` with a deadline. Rejects as soon as the time is up (TimeoutError `step_timeout`), the run is
 * cancelled (CancelledError `run_cancelled`) or stopped (RunSuspended), even if `call` ignores its signal; its
 * later result is ignored.
 */
export async function runAttempt<T>(
  call: (attempt: EffectAttempt) => Promise<T>,
  identity: { readonly number: number; readonly idempotencyKey: string },
  limits: AttemptLimits,
  clock: Clock,
): Promise<T> {
  const attempt = new AbortController()
  const followed: (() => void)[] = []
  const { promise: interrupted, reject } = Promise.withResolvers<never>()
  interrupted.catch(() => {})
  let known: Effect | (() => Effect | undefined) | undefined
  const onEffect: EffectAttempt['onEffect'] = (effect) => {
    // Reports after the interruption describe how the call ends, not its effect.
    if (!attempt.signal.aborted) known = effect
  }
  const interrupt = (reason: Error): void => {
    if (attempt.signal.aborted) return
    // Rejects before aborting, so that the reaction of the call to the abort is ignored.
    reject(reason)
    attempt.abort(reason)
  }
  const follow = (signal: AbortSignal, reason: () => Error) => {
    const abort = (): void => interrupt(reason())
    if (signal.aborted) return abort()
    signal.addEventListener('abort', abort, { once: true })
    followed.push(() => signal.removeEventListener('abort', abort))
  }
  follow(limits.stop, () => new RunSuspended())
  if (limits.cancel) follow(limits.cancel, cancelled)
  const deadlineMs = Math.min(limits.deadlineMs, clock.now() + limits.timeoutMs)
  const endDeadline = interruptInTime(interrupt, limits, clock)
  try {
    if (attempt.signal.aborted) throw attempt.signal.reason
    const given = { ...identity, deadlineMs, signal: attempt.signal, onEffect }
    return await Promise.race([start(call, given), interrupted])
  } catch (error) {
    // A skill may throw its own error when the signal aborts.
    const reason: unknown = attempt.signal.aborted ? attempt.signal.reason : error
    if (reason instanceof RunSuspended) throw reason
    const effect = typeof known === 'function' ? known() : known
    if (effect === 'none' && mayHaveHappened(reason)) throw withEffect(reason, 'none')
    const isOwn = !attempt.signal.aborted && mayHaveHappened(reason) && !isOutcomeUnknown(reason)
    throw effect === 'unknown' && isOwn ? afterChange(reason) : reason
  } finally {
    for (const unfollow of followed) unfollow()
    endDeadline()
  }
}

export function cancelled(): CancelledError {
  return new CancelledError('run_cancelled', 'the run was cancelled')
}

/** The deadline of the run or of a group passed, so no further attempt can help. */
export class GroupTimeoutError extends TimeoutError {
  constructor() {
    super('step_timeout', 'the run or an enclosing step has timed out', {
      hint: 'raise the timeout of the playbook or the group',
    })
  }
}

/** Also catches synchronous exceptions. */
async function start<T>(call: (attempt: EffectAttempt) => Promise<T>, attempt: EffectAttempt): Promise<T> {
  return await call(attempt)
}

/** Returns the function that ends the watch. */
function interruptInTime(
  interrupt: (reason: Error) => void,
  limits: AttemptLimits,
  clock: Clock,
): () => void {
  const left = limits.deadlineMs - clock.now()
  const byGroup = left <= limits.timeoutMs
  const reason = () => (byGroup ? new GroupTimeoutError() : timedOut(limits.timeoutMs))
  return callLater(clock, Math.max(0, byGroup ? left : limits.timeoutMs), () => interrupt(reason()))
}

function timedOut(timeoutMs: number): TimeoutError {
  return new TimeoutError('step_timeout', `the attempt took longer than ${timeoutMs / 1000} s`, {
    hint: 'if the other system needs longer, raise the timeout of the step',
    details: { timeout_ms: timeoutMs },
  })
}

/** A rule or the limit holds back this use; nothing of it was recorded. */
export class ApprovalRequiredError extends Error {
  readonly use: HeldUses

  constructor(use: HeldUses) {
    super('the use needs approval')
    this.use = use
  }
}
