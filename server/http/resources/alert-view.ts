import type { Alert } from '../../../core/domain/alert.ts'

/** An alert as creating it answers: exactly the fields of the specification, all always there. */
export function alertView(alert: Alert): Readonly<Record<string, unknown>> {
  return {
    alert_content: alert.content,
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

/** An alert with what its investigation added. */
export function investigatedAlertView(alert: Alert): Readonly<Record<string, unknown>> {
  return {
    ...alertView(alert),
    investigator: alert.investigator,
    case_id: alert.caseId,
    completed_at: alert.completedAt,
  }
}
