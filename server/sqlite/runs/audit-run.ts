import type { Actor, AuditAction } from '../../../core/domain/audit.ts'
import type { StepDecision } from '../../../core/domain/run.ts'
import { type Checkpoint, labelOf } from '../../../core/domain/checkpoint.ts'
import { textAt } from '../../../core/plugin/index.ts'
import type { AnsweredHow, AnswerOutcome } from '../../../core/ports/runs/checkpoint-store.ts'
import { recordAudit } from '../audit/audit-log.ts'
import { insertEntry } from '../cases/case-entries.ts'
import { requireRunRow, type RunRow } from './run-rows.ts'
import type { StoreContext } from '../context/store-context.ts'

type RecordedRun = Pick<RunRow, 'uuid' | 'playbookName' | 'organizationUuid'>

/** Inside of the write. */
export function recordRun(
  context: StoreContext,
  action: AuditAction,
  { uuid, playbookName, organizationUuid }: RecordedRun,
  by: Actor,
  details: Readonly<Record<string, unknown>> = {},
): void {
  const subject = { kind: 'run', id: uuid, name: playbookName } as const
  recordAudit(context, { action, by, organizationUuid, subject, details })
}

const decided: Readonly<Record<StepDecision, string>> = {
  ran: 'it happened',
  ran_output_unknown: 'it happened, output unknown',
  run_again: 'run it again',
  skip: 'skip it',
}

/** Inside of the write: what a person decided about a step with unknown outcome. */
export function recordDecision(
  context: StoreContext,
  run: RunRow,
  by: Actor,
  details: { readonly path: string; readonly decision: StepDecision; readonly skill: string },
): void {
  recordRun(context, 'step.resolved', run, by, details)
  if (run.caseRow === null) return
  const { path, decision, skill } = details
  const text = `decided about step ${path} (${skill}), whose outcome was unknown: ${decided[decision]}`
  const at = context.clock.now()
  insertEntry(context.database, run.caseRow, { at, by, kind: 'note', text, changes: null })
}

/**
 * Inside of the write. Only the answer that counts decides anything; all others are kept with the checkpoint, and anybody could
 * give them without end.
 */
export function recordCheckpoint(
  context: StoreContext,
  { outcome, checkpoint }: AnswerOutcome,
  by: Actor,
  { together, session = false }: AnsweredHow = {},
): void {
  if (outcome !== 'accepted') return
  const { id, path, organizationUuid, runUuid, connection, question } = checkpoint
  // What was filled into a form may be sensitive.
  const answer = question.form === null ? { answer: checkpoint.answer?.value } : {}
  recordAudit(context, {
    action: 'checkpoint.answered',
    by,
    organizationUuid,
    subject: { kind: 'checkpoint', id, name: path },
    details: {
      run: runUuid,
      connection,
      ...answer,
      ...(together && { together }),
      ...(session && { session }),
    },
  })
  noteAnswer(context, checkpoint, by, together)
}

const maxShown = 300

/** The case of the run says who decided what, and when: it is read by people who do not see the audit log. */
function noteAnswer(
  { database, clock }: StoreContext,
  { runUuid, question, answer, path, stepId }: Checkpoint,
  by: Actor,
  together: AnsweredHow['together'],
): void {
  const { caseRow } = requireRunRow(database, 'uuid', runUuid)
  if (caseRow === null) return
  const { value } = answer ?? {}
  const word = question.answers?.find((each) => each === value)
  const said = word === undefined ? 'filled in the form' : `answered '${labelOf(question, word)}'`
  const asked = (textAt(question.input, 'message') ?? `step ${stepId ?? path}`).slice(0, maxShown)
  const many = together === undefined ? '' : `, with ${together.count - 1} more of its kind`
  const text = `${said}${many}, to: ${asked.toWellFormed()}`
  insertEntry(database, caseRow, { at: clock.now(), by, kind: 'note', text, changes: null })
}
