import type { Alert } from '../../../../core/domain/alert.ts'
import { RequestError } from '../../request/request-error.ts'
import type { JsonSchema } from '../../../../core/plugin/index.ts'
import type { ListedAlert } from '../../../../core/ports/alert-store.ts'
import type { Scope } from '../../../../core/ports/common.ts'
import { component, type Services } from '../../routing/route.ts'

/** Lists may leave the content out; an alert by itself has it. */
export const wholeAlertSchema: JsonSchema = {
  allOf: [
    component('alert'),
    { type: 'object', required: ['alert_content'], properties: { alert_content: { type: 'string' } } },
  ],
}

/** An alert as creating it answers: exactly the fields of the specification, all always there. */
export function alertView(alert: Alert): Readonly<Record<string, unknown>> {
  return { alert_content: alert.content, ...fields(alert) }
}

function fields(alert: ListedAlert): Readonly<Record<string, unknown>> {
  return {
    alert_provider: alert.provider,
    organization_code: alert.organizationCode,
    alert_type: alert.type,
    // bigint: written as an integer of any size.
    created_at_source: alert.createdAtSource,
    alert_id: alert.id,
    alert_uuid: alert.uuid,
    created_at: alert.createdAt,
    modified_at: alert.modifiedAt,
    created_by: alert.createdBy,
    organization_uuid: alert.organizationUuid,
    investigation_retry_count: alert.retryCount,
    investigation_status: alert.status,
  }
}

/** An alert with what its investigation added; its content, where it is there. */
export function investigatedAlertView(alert: ListedAlert): Readonly<Record<string, unknown>> {
  return {
    ...(alert.content !== undefined && { alert_content: alert.content }),
    ...(alert.contentPreview !== undefined && { content_preview: alert.contentPreview }),
    ...fields(alert),
    investigator: alert.investigator,
    case_id: alert.caseId,
    completed_at: alert.completedAt,
    grouped_with: alert.groupedWith,
    grouped_because: alert.groupedBecause,
  }
}

/** Throws RequestError `alert_not_found`, or `alert_deleted` for one that is kept no longer. */
export async function requireAlert(
  { stores }: Pick<Services, 'stores'>,
  scope: Scope,
  idOrUuid: string,
): Promise<Alert> {
  const alert = await stores.alerts.find(scope, idOrUuid)
  if (alert !== undefined) return alert
  if (await stores.alerts.wasDeleted(scope, idOrUuid))
    throw new RequestError('alert_deleted', undefined, {
      hint: 'what remains of it is told in the case, if it had one',
    })
  throw new RequestError('alert_not_found', undefined, {
    hint: 'GET alerts lists those this API key may see',
  })
}
