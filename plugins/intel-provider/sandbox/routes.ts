import type { SandboxHandler, SandboxRoutes, SandboxReply } from 'tocsin/plugin/testing'
import { answerAlerts, loadAlerts } from './alert-routes.ts'
import { intelFixture } from './fixture.ts'
import { loadPlaybookAlerts, playbookAlertDetails, searchPlaybookAlerts } from './playbook-alert-routes.ts'
import { type Records, isIndicatorKind, recordKey } from './records.ts'
import type { JsonObject } from 'tocsin/plugin'
import { defaultFields, isFieldOf } from '../enrichment-fields.ts'
import type { IndicatorKind } from '../indicator.ts'
import { enrichmentError, okAnswer } from './answer.ts'

/** The only key with full access. */
export const fullAccessKey = 'b1946ac92492d2347c6235b4d2611184'
/** Valid, but its subscription includes nothing: 403. */
export const basicTierKey = '591785b794601e212b260e25925636fd'

/** Valid, but without the alert modules: 403 there. */
export const enrichmentOnlyKey = '0cc175b9c0f1b6a831c399e269772661'
/** Valid, but without enrichment and playbook alerts: 403 there. */
export const alertsOnlyKey = '92eb5ffee6ae2fec3ad71c777531578f'

/** Path prefixes that a key may use. */
const keys: ReadonlyMap<string, readonly string[]> = new Map([
  [fullAccessKey, ['/']],
  [basicTierKey, []],
  [enrichmentOnlyKey, ['/v2/']],
  [alertsOnlyKey, ['/alert/']],
])

/** The provider's calls that the plugin uses. */
export function intelRoutes(tokenHeader: string, records: Records): SandboxRoutes {
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
    'GET /alert/v3': withKey(({ query }) => answerAlerts(alerts, query)),
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
    if (paths === undefined) return { status: 401, json: intelFixture('error-401') }
    const isOpen = paths.some((path) => call.pathname.startsWith(path))
    return isOpen ? handler(call) : { status: 403, json: intelFixture('error-403') }
  }
}

/** GET `/v2/{kind}/{value}`; a company's value is `by_domain/{domain}` or its id. */
function enrichIndicator(
  records: Records,
  kind: string,
  value: string,
  query: URLSearchParams,
): SandboxReply {
  if (!isIndicatorKind(kind)) return enrichmentError(404, 'Not found')
  if (!valueFits[kind].test(value)) return enrichmentError(400, `Invalid ${kind}`)
  const fields = query.get('fields')?.split(',') ?? [...defaultFields]
  const foreign = fields.find((field) => !isFieldOf(kind, field))
  if (foreign !== undefined) return enrichmentError(400, `Unknown field ${foreign} for ${kind}`)
  const record = records.get(recordKey(kind, value))
  return record === undefined ? enrichmentError(404, 'Not found') : okAnswer({ data: pick(record, fields) })
}

const valueFits: Readonly<Record<IndicatorKind, RegExp>> = {
  ip: /^[0-9.]+$|^[0-9a-f:.]+$/i,
  domain: /^[^\s/:]+\.[^\s/:]+$/,
  url: /^[a-z][a-z0-9+.-]*:\/\/\S+$/i,
  hash: /^(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64})$/i,
  vulnerability: /^[\w-]+$/,
  company: /^[\w-]+$|^by_domain\/[^\s/]+$/,
}

function pick(record: JsonObject, fields: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(record).filter(([name]) => fields.includes(name)))
}
