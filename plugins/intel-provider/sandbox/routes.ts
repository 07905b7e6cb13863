import type { SandboxHandler, SandboxRoutes } from 'tocsin/plugin/testing'
import { listAlerts, loadAlerts } from './alert-routes.ts'
import { enrichIndicator } from './enrichment-routes.ts'
import { fixture } from './fixture.ts'
import { loadPlaybookAlerts, playbookAlertDetails, searchPlaybookAlerts } from './playbook-alert-routes.ts'
import type { Records } from './records.ts'

/** The one key that may do everything. */
export const apiKey = 'b1946ac92492d2347c6235b4d2611184'
/** Valid, but of a subscription tier that includes nothing: 403. */
export const basicTierKey = '591785b794601e212b260e25925636fd'

/** The provider's calls that the plugin uses. */
export function routes(tokenHeader: string, records: Records): SandboxRoutes {
  const alerts = loadAlerts()
  const playbookAlerts = loadPlaybookAlerts()
  const withKey = (handler: SandboxHandler) => checkKey(tokenHeader, handler)
  return {
    'GET /v2/:kind/:value': withKey(({ params: { kind = '', value = '' }, query }) =>
      enrichIndicator(records, kind, value, query),
    ),
    'GET /v2/company/by_domain/:domain': withKey(({ params: { domain = '' }, query }) =>
      enrichIndicator(records, 'company', `by_domain/${domain}`, query),
    ),
    'GET /alert/v3': withKey(({ query }) => listAlerts(alerts, query)),
    'POST /playbook-alert/search': withKey((call) => searchPlaybookAlerts(playbookAlerts, call.json())),
    'GET /playbook-alert/common/:id': withKey(({ params: { id = '' } }) =>
      playbookAlertDetails(playbookAlerts, 'common', id),
    ),
    'POST /playbook-alert/:segment/:id': withKey(({ params: { segment = '', id = '' } }) =>
      playbookAlertDetails(playbookAlerts, segment, id),
    ),
  }
}

function checkKey(tokenHeader: string, handler: SandboxHandler): SandboxHandler {
  return (call) => {
    const key = call.headers[tokenHeader.toLowerCase()]
    if (key === basicTierKey) return { status: 403, json: fixture('error-403') }
    return key === apiKey ? handler(call) : { status: 401, json: fixture('error-401') }
  }
}
