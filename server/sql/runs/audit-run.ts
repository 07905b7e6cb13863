import type { Work } from '../database/work.ts'
import { theRun, type Actor, type AuditAction } from '../../../core/domain/audit.ts'
import type { StepDecision } from '../../../core/domain/run.ts'
import type { Checkpoint } from '../../../core/domain/checkpoint.ts'
import type { AnswerDetails, AnswerOutcome } from '../../../core/ports/runs/checkpoint-store.ts'
import { countedApproval, counts } from '../../../core/transitions/question.ts'
import { answerEntry, decisionEntry } from '../../../core/transitions/timeline.ts'
import { recordAudit } from '../audit/audit-log.ts'
import { insertEntry } from '../cases/case-entries.ts'
import { requireRunRow, type RunRow } from './run-rows.ts'
import type { StoreContext } from '../context/store-context.ts'

type RecordedRun = Pick<RunRow, 'uuid' | 'playbookName' | 'organizationUuid'>

/** Inside of the write. */
export function* recordRun(
  context: StoreContext,
  action: AuditAction,
  { uuid, playbookName, organizationUuid }: RecordedRun,
  by: Actor,
  details: Readonly<Record<string, unknown>> = {},
): Work<void> {
  const subject = { kind: 'run', id: uuid, name: playbookName } as const
  yield* recordAudit(context, { action, by, organizationUuid, subject, details })
}

/** Inside of the write of a call of a skill. */
export function* recordSkill(
  context: StoreContext,
  runUuid: string,
  action: AuditAction,
  details: Readonly<Record<string, unknown>>,
): Work<void> {
  const run = yield* requireRunRow(context.database, 'uuid', runUuid)
  yield* recordRun(context, action, run, theRun(run.uuid, run.playbookName), details)
}

/** Inside of the write: the decision of a person about a step with unknown outcome. */
export function* recordDecision(
  context: StoreContext,
  run: RunRow,
  by: Actor,
  details: { readonly path: string; readonly decision: StepDecision; readonly skill: string },
): Work<void> {
  yield* recordRun(context, 'step.resolved', run, by, details)
  if (run.caseRow === null) return
  yield* insertEntry(context.database, run.caseRow, decisionEntry(details, by, context.clock.now()))
}

/**
 * Inside of the write. Records only the answer that counts: the others are stored with the checkpoint, and there may be any number of
 * them.
 */
export function* recordCheckpoint(
  context: StoreContext,
  { outcome, checkpoint }: AnswerOutcome,
  by: Actor,
  { together, session = false }: AnswerDetails = {},
): Work<void> {
  if (!counts(outcome) && outcome !== countedApproval) return
  const { id, path, organizationUuid, runUuid, connection, question } = checkpoint
  const given = outcome === countedApproval ? checkpoint.counted?.at(-1) : checkpoint.answer
  // Values of a form may be sensitive.
  const answer = question.form === null ? { answer: given?.value } : {}
  const { approval } = question
  yield* recordAudit(context, {
    action: 'checkpoint.answered',
    by,
    organizationUuid,
    subject: { kind: 'checkpoint', id, name: path },
    details: {
      run: runUuid,
      connection,
      ...answer,
      ...(approval && { input_hash: approval.inputHash }),
      ...(given?.refusedItems && { refused_items: given.refusedItems }),
      ...(outcome === countedApproval && { outcome }),
      ...(together && { together }),
      ...(session && { session }),
    },
  })
  if (given != null) yield* noteAnswer(context, { ...checkpoint, answer: given }, by, together)
}

/** The case tells who decided what: its readers may not see the audit log. */
function* noteAnswer(
  { database, clock }: StoreContext,
  checkpoint: Checkpoint,
  by: Actor,
  together: AnswerDetails['together'],
): Work<void> {
  const { caseRow } = yield* requireRunRow(database, 'uuid', checkpoint.runUuid)
  if (caseRow !== null)
    yield* insertEntry(database, caseRow, answerEntry(checkpoint, by, together, clock.now()))
}
