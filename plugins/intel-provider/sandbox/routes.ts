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

/** Valid, but without the modules of alerts: 403 there. */
export const enrichmentOnlyKey = '0cc175b9c0f1b6a831c399e269772661'
/** Valid, but without enrichment and playbook alerts: 403 there. */
export const alertsOnlyKey = '92eb5ffee6ae2fec3ad71c777531578f'

/** What a key may use: beginnings of paths. */
const keys: ReadonlyMap<string, readonly string[]> = new Map([
  [apiKey, ['/']],
  [basicTierKey, []],
  [enrichmentOnlyKey, ['/v2/']],
  [alertsOnlyKey, ['/alert/']],
])

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
    const paths = keys.get(call.headers[tokenHeader.toLowerCase()] ?? '')
    if (paths === undefined) return { status: 401, json: fixture('error-401') }
    const isOpen = paths.some((path) => call.pathname.startsWith(path))
    return isOpen ? handler(call) : { status: 403, json: fixture('error-403') }
  }
}
