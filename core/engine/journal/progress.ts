import type { FailedAttempt, JournalEntry } from '../../domain/run.ts'
import type { EffectWork } from './durable-context.ts'
import { isOverBudget, isOwnStore, mayHaveHappened } from '../context/retry-class.ts'

/** Where an effect stands: what the next try has to know. */
export interface Progress {
  /** The next try, from 1. */
  number: number
  /** The try whose intent is recorded. */
  begun: number
  /** Tries that failed by an error, as opposed to a crash. */
  failures: number
  /** When the next try may start, epoch milliseconds. */
  readyAtMs: number
  /** An earlier try of this run may have taken effect. */
  doubtful: boolean
  /** It is known of all tries of the runs before that they took no effect. */
  isFirst: boolean
  /** A run that this one goes on from did it: known once that was asked. */
  wasDoneEarlier?: boolean
}

/** Before the first try. */
export function firstProgress(): Progress {
  return { number: 1, begun: 1, failures: 0, readyAtMs: 0, doubtful: false, isFirst: false }
}

/** After the tries that failed, which stand in order. */
export function progressAfter(
  failed: readonly FailedAttempt[],
  work: Pick<EffectWork, 'interrupted'>,
  entry: JournalEntry,
): Progress {
  const last = failed.at(-1)
  const isCrash = ({ error }: FailedAttempt) => error.code === 'step_interrupted'
  // What a person was asked about, and said to run again, is in doubt no more.
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

/** It was no failure of the step, and counts as none. */
export const isHeldUp = (error: unknown): boolean => isOwnStore(error) || isOverBudget(error)
