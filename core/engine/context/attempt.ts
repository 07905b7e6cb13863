import { CancelledError, TimeoutError } from '../../errors/errors.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Effect } from '../../plugin/index.ts'
import { RunSuspended, type EffectAttempt } from '../journal/durable-context.ts'
import { mayHaveHappened, withEffect } from './retry-class.ts'

export interface AttemptLimits {
  /** How long this attempt may take. */
  readonly timeoutMs: number
  /** Epoch milliseconds or Infinity: when a group around the step must have ended. */
  readonly deadlineMs: number
  /** Cancels the run; undefined for a step that goes on nevertheless. */
  readonly cancel: AbortSignal | undefined
  /** Stops the run in this process, without a result. */
  readonly stop: AbortSignal
}

/**
 * Runs `call` under a deadline. Resolves as `call` does; rejects with what it throws, or with TimeoutError `step_timeout`,
 * CancelledError `run_cancelled` or RunSuspended as soon as one of these is due, whether `call` minds its signal or not. What
 * `call` does after that is ignored.
 */
export async function runAttempt<T>(
  call: (attempt: EffectAttempt) => Promise<T>,
  identity: { readonly number: number; readonly idempotencyKey: string },
  limits: AttemptLimits,
  clock: Clock,
): Promise<T> {
  const attempt = new AbortController()
  const over = new AbortController()
  const followed: (() => void)[] = []
  const { promise: interrupted, reject } = Promise.withResolvers<never>()
  interrupted.catch(() => {})
  let known: Effect | undefined
  const onEffect = (effect: Effect): void => {
    // What is said once the attempt is interrupted is about its ending.
    if (!attempt.signal.aborted) known = effect
  }
  const interrupt = (reason: Error): void => {
    if (attempt.signal.aborted) return
    // First: what the call answers when it hears of it is ignored.
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
  interruptInTime(interrupt, limits, clock, over.signal)
  try {
    if (attempt.signal.aborted) throw attempt.signal.reason
    const given = { ...identity, deadlineMs, signal: attempt.signal, onEffect }
    return await Promise.race([start(call, given), interrupted])
  } catch (error) {
    // A skill that minds its signal may answer with an error of its own making before ours arrives.
    const reason: unknown = attempt.signal.aborted ? attempt.signal.reason : error
    if (reason instanceof RunSuspended) throw reason
    throw known === 'none' && mayHaveHappened(reason) ? withEffect(reason, 'none') : reason
  } finally {
    for (const unfollow of followed) unfollow()
    over.abort(isOver)
  }
}

/** Made once: an abort without a reason makes an error with a stack each time. */
const isOver = new Error('the attempt is over')

export function cancelled(): CancelledError {
  return new CancelledError('run_cancelled', 'the run was cancelled')
}

/** Not the attempt's own time was up but that of a group around it, or of the run: no further try would help. */
export class GroupTimeoutError extends TimeoutError {
  constructor() {
    super('step_timeout', 'the time of the run, or of the steps around this one, was up', {
      hint: 'give the playbook, or the group, a longer timeout',
    })
  }
}

/** Also catches what is thrown before the first await. */
async function start<T>(call: (attempt: EffectAttempt) => Promise<T>, attempt: EffectAttempt): Promise<T> {
  return await call(attempt)
}

function interruptInTime(
  interrupt: (reason: Error) => void,
  limits: AttemptLimits,
  clock: Clock,
  over: AbortSignal,
): void {
  const left = limits.deadlineMs - clock.now()
  const byGroup = left <= limits.timeoutMs
  const reason = () => (byGroup ? new GroupTimeoutError() : timedOut(limits.timeoutMs))
  clock.sleep(Math.max(0, byGroup ? left : limits.timeoutMs), over).then(
    () => interrupt(reason()),
    () => {}, // over before its time
  )
}

function timedOut(timeoutMs: number): TimeoutError {
  return new TimeoutError('step_timeout', `the attempt took longer than ${timeoutMs / 1000} s`, {
    hint: 'if the other system needs longer, raise the timeout of the step',
    details: { timeout_ms: timeoutMs },
  })
}
