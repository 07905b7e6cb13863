import { TimeoutError } from '../../errors/errors.ts'
import { RetryableError } from '../../plugin/index.ts'
import { GroupTimeoutError } from './attempt.ts'
import type { EffectWork } from '../journal/durable-context.ts'
import type { LocalRun } from '../journal/local-run.ts'
import { keyOf } from '../journal/paths.ts'
import { isHeldUp, type Progress } from '../journal/progress.ts'
import { isOwnStore, isRetriedOn, mayHaveHappened } from './retry-class.ts'
import { createHash } from 'node:crypto'
import type { RetryPolicy } from '../../playbook/language/playbook.ts'

/** Delay before the next attempt, in milliseconds; undefined: no attempt follows. */
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

/** Undefined: the error is a failure of the step. */
function delayWhenHeldUp(progress: Progress, error: unknown): number | undefined {
  if (isOwnStore(error)) return storeWaitMs(progress.number)
  if (!(error instanceof RetryableError) || !isHeldUp(error)) return undefined
  return Math.min(error.retryAfterMs ?? 0, maxTurnWaitMs)
}

/** Longest wait for a used-up rate budget, because the budget may change meanwhile. */
const maxTurnWaitMs = 5 * 60_000

const storeWaitMs = (tries: number): number => Math.min(1000 * 2 ** (tries - 1), 30_000)

const mayRepeat = ({ mayRepeat, interrupted }: EffectWork): boolean =>
  mayRepeat ?? (interrupted === 'repeat' || interrupted === 'verify')

/**
 * Delay before the next attempt, in milliseconds: exponential backoff with jitter, so that runs that failed
 * together do not retry together. Never shorter than the other system asked for, except for `maxBackoffMs`.
 * Deterministic for run, path and attempt, so a replay waits as long.
 */
export function retryDelayMs(
  retry: Pick<RetryPolicy, 'backoffMs' | 'factor' | 'maxBackoffMs' | 'jitter'>,
  failedAttempt: number,
  retryAfterMs: number | undefined,
  key: string,
): number {
  const { backoffMs, factor, maxBackoffMs, jitter } = retry
  const exponential = Math.min(backoffMs * factor ** (failedAttempt - 1), maxBackoffMs)
  const spread = fraction(`${key}#${failedAttempt}`)
  const wait = exponential * (1 - jitter + 2 * jitter * spread)
  // Jitter must not make it earlier than asked for.
  const asked = (retryAfterMs ?? 0) * (1 + (jitter / 2) * spread)
  return Math.ceil(Math.min(Math.max(wait, asked), maxBackoffMs))
}

/** 0 to 1, evenly distributed and deterministic. */
function fraction(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE(0) / 2 ** 32
}
