import type { FailedAttempt, Run } from '../domain/run.ts'
import { TocsinError } from '../plugin/index.ts'
import type { Clock, JournalStore } from '../ports.ts'

/** A run is given up at this crash of the process at the same place of the run. */
const maxCrashes = 3

/** Where crashes of the whole run are noted among the failed attempts; no step has this path. */
const runPath = '@run'

/**
 * To be called when a process takes up a run that an earlier one left running. A run that keeps bringing the process down ends
 * as failed, so that it cannot stop the process for good. A crash while a step was under way is the step's own affair and
 * counted there (see `effect.ts`).
 *
 * Throws TocsinError `run_interrupted` after the third crash at the same place.
 */
export async function noteTakenUp(journal: JournalStore, run: Run, clock: Pick<Clock, 'now'>): Promise<void> {
  const [entries, failed] = await Promise.all([journal.entries(run.uuid), journal.failedAttempts(run.uuid)])
  if (entries.some(({ state }) => state === 'started' || state === 'unknown')) return
  const marks = failed.filter((attempt) => attempt.path === runPath)
  const here = marks.filter((mark) => endedSteps(mark) === entries.length)
  if (here.length + 1 >= maxCrashes) {
    throw new TocsinError(
      'run_interrupted',
      `the process stopped ${maxCrashes} times at the same place of the run`,
      {
        hint: 'something about this run brings the process down: look at the step after the last one that ended',
        details: { ended_steps: entries.length },
      },
    )
  }
  const now = clock.now()
  const error = {
    code: 'run_interrupted',
    message: 'the process stopped while the run was under way',
    details: { ended_steps: entries.length },
  }
  await journal.attemptFailed(run.uuid, {
    path: runPath,
    attempt: marks.length + 1,
    error,
    startedAt: run.startedAt ?? run.createdAt,
    endedAt: now,
    retryAt: now,
  })
}

function endedSteps(mark: FailedAttempt): unknown {
  return mark.error.details?.['ended_steps']
}
