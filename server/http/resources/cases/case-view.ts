import { caseEntryKinds, type Case, type CaseAttachment } from '../../../../core/domain/case.ts'
import type { CaseFile } from '../../../../core/case/case-file.ts'
import type { CaseObservable } from '../../../../core/case/observables.ts'
import type { OrganizationScope } from '../../../../core/ports/common.ts'
import type { Services } from '../../routing/route.ts'
import { withCases } from '../alerts/alert-observables.ts'
import type { Directory } from '../../caller/directory.ts'
import { caseTaskView } from './case-tasks.ts'
import { investigatedAlertView } from '../alerts/alert-view.ts'
import { containmentView } from '../containments/containments.ts'
import { runView } from '../runs/run-view.ts'
import { apiMentionsSchema } from '../../schemas/case-work.ts'
import { actorSchema } from '../system/audit.ts'
import { objectSchema, text, textOrNull, time } from '../system/page.ts'

type View = Readonly<Record<string, unknown>>

/** A case as a list shows it. */
export async function caseView(found: Case, directory: Directory): Promise<View> {
  return {
    case_id: found.id,
    organization_code: await directory.organizationCode(found.organizationUuid),
    organization_uuid: found.organizationUuid,
    title: found.title,
    summary: found.summary,
    status: found.status,
    severity: found.severity,
    verdict: found.verdict,
    assignee: found.assignee,
    assignee_id: found.assigneeId,
    assignee_state: found.assigneeState,
    closing_reason: found.closingReason,
    resolution: found.resolution,
    revision: found.revision,
    created_at: found.createdAt,
    modified_at: found.modifiedAt,
    closed_at: found.closedAt,
    responded_at: found.respondedAt,
    respond_due_at: found.respondDueAt,
    resolve_due_at: found.resolveDueAt,
    merged_into: found.mergedInto,
    split_from: found.splitFrom,
    alerts_deleted: found.alertsDeleted,
    runs_deleted: found.runsDeleted,
  }
}

/** The parts of a case beside its own fields. */
export async function caseFileView(
  file: CaseFile,
  services: Pick<Services, 'catalogue' | 'directory' | 'stores'>,
  scope: OrganizationScope,
): Promise<View> {
  const { directory, stores } = services
  const observables = await withCases(file.observables, scope, stores.observables)
  return {
    alerts: file.alerts.map(investigatedAlertView),
    runs: await Promise.all(file.runs.map((run) => runView(run, directory))),
    actions: file.actions,
    containments: await Promise.all(file.containments.map((one) => containmentView(one, services))),
    observables: observables.map(observableView),
    files: file.files.map(attachmentView),
    tasks: file.tasks.map(caseTaskView),
    links: file.links,
    timeline: file.timeline,
  }
}

export const attachmentView = ({
  sha256,
  name,
  contentType,
  detectedType,
  size,
  addedAt,
  addedBy,
  deletedAt,
  deletedBy,
  deletedReason,
}: CaseAttachment) => ({
  sha256,
  name,
  content_type: contentType,
  detected_type: detectedType,
  size,
  added_at: addedAt,
  added_by: addedBy,
  deleted_at: deletedAt,
  deleted_by: deletedBy,
  deleted_reason: deletedReason,
})

const observableView = ({
  kind,
  value,
  cases,
  learned,
  used,
}: CaseObservable & { readonly cases: number }) => ({
  kind,
  value,
  cases,
  learned: learned.map(({ runUuid: run_uuid, ...rest }) => ({ ...rest, run_uuid })),
  used: used.map(({ runUuid: run_uuid, isQuestion: is_question, ...rest }) => ({
    ...rest,
    run_uuid,
    is_question,
  })),
})

/** An entry of the timeline. */
export const caseEntrySchema = objectSchema({
  at: time,
  actor: actorSchema,
  request_id: { ...textOrNull, description: 'The HTTP request of the change, as in the log.' },
  kind: {
    enum: caseEntryKinds,
  },
  text: { ...text, description: 'Plain text; of a note by a person, Markdown.' },
  mentions: apiMentionsSchema,
  changes: { type: ['object', 'null'], description: 'For `changed`: the new values.' },
  action: {
    type: ['object', 'null'],
    description: 'For `action`: the action of a destructive skill, as in `actions` of a case.',
  },
})
