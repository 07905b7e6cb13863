import type { FailedAttempt, JournalEntry, Run } from '../../domain/run.ts'
import type { JournalStore } from '../../ports/runs/journal-store.ts'
import type { RunStore } from '../../ports/runs/run-store.ts'
import { mayHaveHappened } from '../context/retry-class.ts'

/** An effect of a run that another one goes on from: it took place, or may have. */
export interface EarlierTry {
  readonly runUuid: string
  readonly path: string
  readonly kind: string
  readonly input: unknown
}

/** Of all the runs that one goes on from, the first of them first. */
export async function findEarlierTries(
  stores: { readonly runs: Pick<RunStore, 'find'>; readonly journal: JournalStore },
  { retryOf }: Pick<Run, 'retryOf'>,
): Promise<readonly EarlierTry[]> {
  const found: EarlierTry[] = []
  for (let uuid = retryOf; uuid !== null;) {
    const runUuid: string = uuid
    const [run, entries, failed] = await Promise.all([
      stores.runs.find('all', runUuid),
      stores.journal.entries(runUuid),
      stores.journal.failedAttempts(runUuid),
    ])
    const attempts = Map.groupBy(failed, ({ path }) => path)
    for (const entry of entries) {
      const { path, kind, input, carriedFrom } = entry
      if (carriedFrom !== undefined || effectOf(entry, attempts.get(path) ?? []) === 'no') continue
      found.unshift({ runUuid, path, kind, input })
    }
    uuid = run?.retryOf ?? null
  }
  return found
}

/** Whether a call took effect, as far as its journal tells. */
export function effectOf(
  { state, input, error }: JournalEntry,
  failed: readonly FailedAttempt[],
): 'yes' | 'may_have' | 'no' {
  // Also of the entry of a whole foreach, whose items stand for themselves.
  if (input === null) return 'no'
  if (state === 'completed') return 'yes'
  const isDoubtful = failed.some((attempt) => mayHaveHappened(attempt.error))
  if (state === 'skipped') return isDoubtful ? 'may_have' : 'no'
  return isDoubtful || error === null || mayHaveHappened(error) ? 'may_have' : 'no'
}
