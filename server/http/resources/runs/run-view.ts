import { wordFor, type Author } from '../../../../core/domain/audit.ts'
import type { FailedAttempt, JournalEntry } from '../../../../core/domain/run.ts'
import type { ListedRun } from '../../../../core/ports/runs/run-store.ts'
import type { Directory } from '../../caller/directory.ts'

/** A run as it stands in a list: without output, which can be large. */
export async function runView(
  run: ListedRun,
  directory: Directory,
): Promise<Readonly<Record<string, unknown>>> {
  return {
    run_uuid: run.uuid,
    organization_code: await directory.organizationCode(run.organizationUuid),
    organization_uuid: run.organizationUuid,
    playbook: run.playbookName,
    playbook_hash: run.playbookHash,
    alert_id: run.alertId,
    case_id: run.caseId,
    status: run.status,
    created_at: run.createdAt,
    started_at: run.startedAt,
    ended_at: run.endedAt,
    cancellation: run.cancellation && doneBy(run.cancellation),
    error: run.error,
    retry_of: run.retryOf,
    retried_by: run.retriedBy,
    pruned_at: run.prunedAt,
  }
}

/** `by` in a word, and who it was: a name is what somebody chose. */
const doneBy = <T extends { readonly by: Author }>({ by, ...what }: T) => ({
  ...what,
  by: wordFor(by),
  actor: by,
})

/** One line of the journal, with the tries that failed before the last one. */
export function stepView(
  entry: JournalEntry,
  failed: readonly FailedAttempt[],
): Readonly<Record<string, unknown>> {
  return {
    path: entry.path,
    step_id: entry.stepId,
    kind: entry.kind,
    state: entry.state,
    attempt: entry.attempt,
    started_at: entry.startedAt,
    ended_at: entry.endedAt,
    input: entry.input ?? null,
    output: entry.output ?? null,
    error: entry.error,
    resolution: entry.resolution ? doneBy(entry.resolution) : null,
    carried_from: entry.carriedFrom ?? null,
    failed_attempts: failed.map((attempt) => ({
      attempt: attempt.attempt,
      started_at: attempt.startedAt,
      ended_at: attempt.endedAt,
      retry_at: attempt.retryAt,
      error: attempt.error,
    })),
  }
}
