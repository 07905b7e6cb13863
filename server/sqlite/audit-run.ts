import type { Actor, AuditAction } from '../../core/domain/audit.ts'
import type { AnswerOutcome } from '../../core/ports.ts'
import { recordAudit } from './audit-log.ts'
import type { RunRow } from './run-rows.ts'
import type { StoreContext } from './store-context.ts'

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

/**
 * Inside of the write. Only the answer that counts decides anything; all others are kept with the checkpoint, and anybody could
 * give them without end.
 */
export function recordCheckpoint(
  context: StoreContext,
  { outcome, checkpoint }: AnswerOutcome,
  by: Actor,
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
    details: { run: runUuid, connection, ...answer },
  })
}

/** A run that does something by itself. */
export const actorOf = ({ uuid, playbookName }: RecordedRun): Actor => ({
  kind: 'run',
  id: uuid,
  name: playbookName,
  requestId: null,
})
