import type { FailedAttempt, JournalEntry } from '../../domain/run.ts'
import type { EffectWork } from './durable-context.ts'
import {
  isLeaseOver,
  isOverBudget,
  isOwnStore,
  isThreadLost,
  mayHaveHappened,
} from '../context/retry-class.ts'

/** The state of an effect between two attempts. */
export interface Progress {
  /** Number of the next attempt, from 1. */
  number: number
  /** Number of the attempt whose intent is recorded. */
  begun: number
  /** Attempts that failed with an error, not by a crash. */
  failures: number
  /** Earliest start of the next attempt, in epoch milliseconds. */
  readyAtMs: number
  /** An earlier attempt of this run may have taken effect. */
  doubtful: boolean
  /** No attempt of the retried runs took effect. */
  isFirst: boolean
  /** Whether a retried run performed the effect; set after the verification. */
  wasDoneEarlier?: boolean
}

export function firstProgress(): Progress {
  return { number: 1, begun: 1, failures: 0, readyAtMs: 0, doubtful: false, isFirst: false }
}

/** @param failed the failed attempts, in order */
export function progressAfter(
  failed: readonly FailedAttempt[],
  work: Pick<EffectWork, 'interrupted'>,
  entry: JournalEntry,
): Progress {
  const last = failed.at(-1)
  const isCrash = ({ error }: FailedAttempt) => error.code === 'step_interrupted'
  // If a person decided to run it again, earlier attempts are no longer in doubt.
  const { resolution } = entry
  const isSettled = (attempt: FailedAttempt) =>
    (work.interrupted === 'ask' && isCrash(attempt)) ||
    (resolution?.decision === 'run_again' && attempt.endedAt <= resolution.at)
  return {
    number: (last?.attempt ?? 0) + 1,
    begun: entry.attempt,
    failures: failed.filter((attempt) => !isCrash(attempt) && !isHeldUp(attempt.error)).length,
    readyAtMs: last?.retryAt ?? 0,
    doubtful: failed.some((attempt) => !isSettled(attempt) && mayHaveHappened(attempt.error)),
    isFirst: false,
  }
}

/** Whether the error is ours, so that it does not count as a failure of the step. */
export const isHeldUp = (error: unknown): boolean =>
  isOwnStore(error) || isOverBudget(error) || isThreadLost(error) || isLeaseOver(error)
