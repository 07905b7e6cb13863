import { identifyAlert } from '../../../../core/alert-source/index.ts'
import { textOfBody } from '../../request/read-body.ts'
import { defineRoute } from '../../routing/route.ts'
import { requireProvider, requireVisibleOrganization } from '../access/organizations/lookups.ts'
import { wholeAlertSchema } from './alert-view.ts'
import { alertHeaders, alertType, answerReceived } from './create-alert.ts'

/** For systems that send an alert in their own format, with headers and an address of your choice. */
export const forwardAlert = defineRoute({
  method: 'POST',
  path: '/alerts/forward/{organization}/{provider}',
  access: 'alerts:create',
  summary: 'Creates an alert whose content is the body of the request, in any text format.',
  status: 201,
  answer: wholeAlertSchema,
  // As for POST /alerts.
  once: false,
  admit: (caller, { intakeGate }) => intakeGate.admit(caller),
  headers: alertHeaders,
  bytes: {},
  keyInQuery: true,
  query: {
    key: {
      type: 'string',
      description:
        'The API key, if the sender can set no header. Only a key of the role `intake` is accepted here, because addresses are logged by proxies.',
    },
    alert_type: {
      ...alertType,
      description:
        'Type of the alert. Default: the name of the recognized product; an alert of an unknown product then has no type and is not investigated.',
    },
  },
  async handle({ params, query, bytes, ...request }, services) {
    const organization = await requireVisibleOrganization(request.caller.scope, params.organization, services)
    const provider = await requireProvider(params.provider, services)
    const content = textOfBody(bytes, request.headers)
    const identified = identifyAlert({ content })
    const given = {
      content,
      provider: provider.code,
      organizationUuid: organization.uuid,
      type: query.alert_type ?? identified.source?.name ?? null,
      createdAtSource: null,
      createdBy: request.caller.uuid,
    }
    return await answerReceived(given, request, services, identified)
  },
})
