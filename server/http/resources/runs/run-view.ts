import { wordFor, type Author } from '../../../../core/domain/audit.ts'
import { stepName } from '../../../../core/engine/journal/step-name.ts'
import type { FailedAttempt, JournalEntry, Run } from '../../../../core/domain/run.ts'
import type { ListedRun } from '../../../../core/ports/runs/run-store.ts'
import type { Directory } from '../../caller/directory.ts'
import { textAt } from '../../../../core/plugin/index.ts'
import { RequestError } from '../../request/request-error.ts'
import type { Recall, Services } from '../../routing/route.ts'
import type { OrganizationScope } from '../../../../core/ports/common.ts'

/** A run as a list shows it, without its output, which can be large. */
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
    triggered_by: run.trigger?.kind ?? null,
    status: run.status,
    created_at: run.createdAt,
    held_until: run.heldUntil ?? null,
    started_at: run.startedAt,
    ended_at: run.endedAt,
    cancellation: run.cancellation && doneBy(run.cancellation),
    error: run.error,
    retry_of: run.retryOf,
    retried_by: run.retriedBy,
    pruned_at: run.prunedAt,
  }
}

/** `by` as a word, and the actor: names are free text. */
const doneBy = <T extends { readonly by: Author }>({ by, ...what }: T) => ({
  ...what,
  by: wordFor(by),
  actor: by,
})

/** A step with its failed attempts. */
export function stepView(
  entry: JournalEntry,
  failed: readonly FailedAttempt[],
): Readonly<Record<string, unknown>> {
  return {
    path: entry.path,
    step_id: entry.stepId,
    name: stepName(entry),
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

/** For a request whose first write changes the run: responds with its current state. */
export const recallRun: Recall = {
  keeps: (written) => (textAt(written, 'playbookHash') === null ? undefined : textAt(written, 'uuid')),
  async answer(uuid, { caller }, { stores, directory }) {
    const run = await stores.runs.find(caller.scope, String(uuid))
    if (run === undefined) throw new RequestError('run_not_found')
    return { body: await runView(run, directory) }
  },
}

/** For a request whose first write creates the run. */
export const recallNewRun: Recall = {
  ...recallRun,
  answer: async (uuid, ...rest) => ({
    ...(await recallRun.answer(uuid, ...rest)),
    location: `/runs/${String(uuid)}`,
  }),
}

/** Throws RequestError `run_not_found`. */
export async function requireRun(
  scope: OrganizationScope,
  uuid: string,
  { stores }: Pick<Services, 'stores'>,
): Promise<Run> {
  const run = await stores.runs.find(scope, uuid)
  if (run !== undefined) return run
  throw new RequestError('run_not_found', undefined, { hint: 'GET runs lists the runs of this API key' })
}
