import type { FailedAttempt, JournalEntry, Run } from '../../domain/run.ts'
import type { JournalStore } from '../../ports/runs/journal-store.ts'
import type { RunStore } from '../../ports/runs/run-store.ts'
import { mayHaveHappened } from '../context/retry-class.ts'

/** An effect, certain or possible, of a run that the current one retries. */
export interface EarlierTry {
  readonly runUuid: string
  readonly path: string
  readonly kind: string
  readonly input: unknown
}

/** Covers the whole chain of retried runs, oldest first. */
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

/** Whether a call took effect, according to its journal. */
export function effectOf(
  { state, input, error }: JournalEntry,
  failed: readonly FailedAttempt[],
): 'yes' | 'may_have' | 'no' {
  // The entry of a foreach has no input either; its items have their own entries.
  if (input === null) return 'no'
  if (state === 'completed') return 'yes'
  const isDoubtful = failed.some((attempt) => mayHaveHappened(attempt.error))
  if (state === 'skipped') return isDoubtful ? 'may_have' : 'no'
  return isDoubtful || error === null || mayHaveHappened(error) ? 'may_have' : 'no'
}
