import { TimeoutError } from '../../errors/errors.ts'
import { RetryableError } from '../../plugin/index.ts'
import { GroupTimeoutError } from './attempt.ts'
import { retryDelayMs } from './backoff.ts'
import type { EffectWork } from '../journal/durable-context.ts'
import type { LocalRun } from '../journal/local-run.ts'
import { keyOf } from '../journal/paths.ts'
import type { Progress } from '../journal/progress.ts'
import { isOverBudget, isOwnStore, isRetriedOn, mayHaveHappened } from './retry-class.ts'

/** How long to wait before the next try, in milliseconds; undefined: there is none. */
export function delayBeforeNextTry(
  local: Pick<LocalRun, 'uuid' | 'clock'>,
  work: EffectWork,
  progress: Progress,
  error: unknown,
): number | undefined {
  if (!mayRepeat(work) && mayHaveHappened(error)) return undefined
  const delayMs = delayWhenHeldUp(progress, error) ?? delayAfterFailure(local, work, progress, error)
  if (delayMs === undefined) return undefined
  return local.clock.now() + delayMs < work.deadlineMs ? delayMs : undefined
}

function delayAfterFailure(
  local: Pick<LocalRun, 'uuid'>,
  { retry, path }: EffectWork,
  progress: Progress,
  error: unknown,
): number | undefined {
  const passes = error instanceof RetryableError || error instanceof TimeoutError
  if (!passes || error instanceof GroupTimeoutError || !isRetriedOn(retry.on, error.code)) return undefined
  if (progress.failures >= retry.max) return undefined
  const retryAfterMs = error instanceof RetryableError ? error.retryAfterMs : undefined
  return retryDelayMs(retry, progress.failures + 1, retryAfterMs, keyOf(local.uuid, path))
}

/** Undefined: it was a failure of the step. */
function delayWhenHeldUp(progress: Progress, error: unknown): number | undefined {
  if (isOwnStore(error)) return storeWaitMs(progress.number)
  if (!(error instanceof RetryableError) || !isOverBudget(error)) return undefined
  return Math.min(error.retryAfterMs ?? 0, maxTurnWaitMs)
}

/** A connection whose budget is used up says when to come back; the budget may have changed by then. */
const maxTurnWaitMs = 5 * 60_000

const storeWaitMs = (tries: number): number => Math.min(1000 * 2 ** (tries - 1), 30_000)

const mayRepeat = ({ mayRepeat, interrupted }: EffectWork): boolean =>
  mayRepeat ?? (interrupted === 'repeat' || interrupted === 'verify')
