import type { FailedAttempt, JournalEntry, Run } from '../../../core/domain/run.ts'
import type { Scope } from '../../../core/ports.ts'
import { RequestError } from '../request-error.ts'
import type { Services } from '../route.ts'
import { showRun } from './redact-run.ts'
import { runView, stepView } from './run-view.ts'

type View = Readonly<Record<string, unknown>>

/** A run as it is now, with all that may be shown of it. */
export interface RunDetail {
  /** As it stands in a list. */
  readonly listed: View
  /** With its inputs and its output. Made when it is asked for, as those of the steps are. */
  readonly whole: () => View
  readonly steps: readonly StepDetail[]
}

export interface StepDetail {
  readonly entry: JournalEntry
  readonly failedAttempts: readonly FailedAttempt[]
  readonly view: () => View
}

/** Throws RequestError `run_not_found`. */
export async function requireRun(
  scope: Scope,
  uuid: string,
  { stores }: Pick<Services, 'stores'>,
): Promise<Run> {
  const run = await stores.runs.find(scope, uuid)
  if (run !== undefined) return run
  throw new RequestError('run_not_found', undefined, { hint: 'GET runs lists those this API key may see' })
}

export async function runDetail(run: Run, services: Services): Promise<RunDetail> {
  const { stores, directory } = services
  const [entries, failed] = await Promise.all([
    stores.journal.entries(run.uuid),
    stores.journal.failedAttempts(run.uuid),
  ])
  const byPath = Map.groupBy(failed, (attempt: FailedAttempt) => attempt.path)
  const { inputs, redacted, masked } = await showRun(run, entries, services)
  const listed = await runView(run, directory)
  return {
    listed,
    whole: () => redacted({ ...listed, inputs, output: run.output ?? null }),
    steps: entries.map((entry) => {
      const failedAttempts = byPath.get(entry.path) ?? []
      return { entry, failedAttempts, view: () => redacted(stepView(masked(entry), failedAttempts)) }
    }),
  }
}
