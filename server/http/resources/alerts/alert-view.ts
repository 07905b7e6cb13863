import { alertFields, investigationFields, type Alert } from '../../../../core/domain/alert.ts'
import { RequestError } from '../../request/request-error.ts'
import type { JsonSchema } from '../../../../core/plugin/index.ts'
import type { ListedAlert } from '../../../../core/ports/alert-store.ts'
import type { OrganizationScope } from '../../../../core/ports/common.ts'
import { component, type Services } from '../../routing/route.ts'

/** Lists may omit the content. */
export const wholeAlertSchema: JsonSchema = {
  allOf: [
    component('alert'),
    { type: 'object', required: ['alert_content'], properties: { alert_content: { type: 'string' } } },
  ],
}

/** The answer to the creation of an alert: the required fields of the specification. */
export const alertView = (alert: Alert): Readonly<Record<string, unknown>> => ({
  alert_content: alert.content,
  ...renamed(alert, alertFields),
})

/** An alert with the fields that its investigation adds, and with its content if it was loaded. */
export const investigatedAlertView = (alert: ListedAlert): Readonly<Record<string, unknown>> => ({
  ...(alert.content !== undefined && { alert_content: alert.content }),
  ...(alert.contentPreview !== undefined && { content_preview: alert.contentPreview }),
  ...(alert.contentMatch !== undefined && { content_match: alert.contentMatch }),
  ...renamed(alert, alertFields),
  ...renamed(alert, investigationFields),
})

type Names = Readonly<Partial<Record<keyof Alert, string>>>

function renamed(alert: ListedAlert, names: Names): Readonly<Record<string, unknown>> {
  const view: Record<string, unknown> = {}
  for (const field in names) view[names[field as keyof Alert]!] = alert[field as keyof Alert]
  return view
}

/** Throws RequestError `alert_not_found`, or `alert_deleted` after its retention. */
export async function requireAlert(
  { stores }: Pick<Services, 'stores'>,
  scope: OrganizationScope,
  idOrUuid: string,
): Promise<Alert> {
  const alert = await stores.alerts.find(scope, idOrUuid)
  if (alert !== undefined) return alert
  if (await stores.alerts.wasDeleted(scope, idOrUuid))
    throw new RequestError('alert_deleted', undefined, {
      hint: 'its case, if it had one, keeps the results',
    })
  throw new RequestError('alert_not_found', undefined, {
    hint: 'GET alerts lists the alerts of this API key',
  })
}
