import { expect } from 'chai'
import { isObject, objectsAt, valueAt } from '../../core/plugin/index.ts'
import { runSkill, type CannedReply } from '../../core/plugin/testing/index.ts'
import type { IndicatorKind } from '../../plugins/intel-provider/indicator.ts'
import { getEnrichment } from '../../plugins/intel-provider/skills/get-enrichment.ts'
import { getPlaybookAlerts } from '../../plugins/intel-provider/skills/get-playbook-alerts.ts'
import { listIntelAlerts } from '../../plugins/intel-provider/skills/list-alerts.ts'
import { checks, failureOf, keeps, unused, type Row, type Rows } from './row.ts'

const settings = { api_key: 'a-key' }

const values: Readonly<Record<IndicatorKind, string>> = {
  ip: '192.0.2.1',
  domain: 'example.com',
  url: 'https://example.com/x',
  hash: '0'.repeat(64),
  vulnerability: 'CVE-2026-0001',
  company: 'example.com',
}
const enrich = async (kind: IndicatorKind, reply: CannedReply) =>
  (await runSkill(getEnrichment, { kind, value: values[kind] }, { settings, replies: [reply] })).output

const enrichment = (kind: IndicatorKind): Row => keeps((json) => enrich(kind, { json }))

/** Recordings of a public client: its wrapper contains one record of the provider or a list of them. */
const wrapped = (kind: IndicatorKind): Row =>
  keeps(async (answer) => {
    const wrappers = objectsAt({ answer }, 'answer')
    const records = wrappers.flatMap((wrapper) => valueAt(wrapper, 'EntityResult'))
    const outputs = await Promise.all(records.map((data) => enrich(kind, { json: { data } })))
    // Other fields of the wrapper belong to the client.
    return [outputs, wrappers.map((wrapper) => ({ ...wrapper, EntityResult: null }))]
  })

const alerts = async (json: unknown) =>
  (await runSkill(listIntelAlerts, {}, { settings, replies: [{ json }] })).output

/** Read as the complete list, because the recorded pages were truncated. */
const page = keeps((json) => alerts({ ...(json as object), counts: countsOf(json) }), ['returned', 'total'])

const countsOf = (json: unknown) => {
  const returned = objectsAt(json, 'data').length
  return { returned, total: returned }
}

const search = async (...replies: readonly CannedReply[]) =>
  (await runSkill(getPlaybookAlerts, { details: replies.length > 1 }, { settings, replies })).output

/** Details of an alert found by a search. */
const details = (category: string, isWhole: boolean): Row =>
  keeps(
    (json) => {
      const found = { playbook_alert_id: 'task:1', category }
      const answer = isWhole ? json : { data: json }
      return search({ json: { data: [found], counts: { returned: 1, total: 1 } } }, { json: answer })
    },
    ['status_code', 'status_message'],
  )

const refusal = (status: number, code: string) =>
  checks(async (json) => {
    expect(await failureOf(enrich('ip', { status, json }))).to.include({ code, name: 'ConnectionError' })
  })

const ruleList = unused('the catalogue of the rules of a kind; get_enrichment gives the rules that fired')
const oldAlert = unused('the alert API before v3, which no skill speaks: list_alerts asks /alert/v3')
const searchOfKind = unused('a search for indicators; get_enrichment asks for the one that an alert names')

export const intelProvider: Rows = {
  'client-enrich-cve': wrapped('vulnerability'),
  'client-enrich-hash-2': wrapped('hash'),
  'client-enrich-host': wrapped('domain'),
  'client-enrich-host-2': wrapped('domain'),
  'client-enrich-ip': wrapped('ip'),
  'client-enrich-ip-2': wrapped('ip'),
  'client-enrich-url-2': wrapped('url'),
  'client-playbook-alert-update-result': unused('what a client says after a change; no skill changes alerts'),
  'client-soar-enrich-cve': unused(
    'the bulk lookup, of another shape; get_enrichment asks for one indicator',
  ),
  'error-401': refusal(401, 'http_401'),
  'error-403': refusal(403, 'http_403'),
  'playbook-alert-common': details('of_a_new_kind', true),
  'playbook-alert-cyber-vulnerability': details('cyber_vulnerability', true),
  'playbook-alert-domain-abuse': details('domain_abuse', false),
  'playbook-alert-identity-exposure': details('identity_novel_exposures', false),
  'playbook-alert-search-page': keeps((json) => search({ json }), ['status_code', 'status_message']),
  'v2-alert-details': oldAlert,
  'v2-alert-lookup': oldAlert,
  'v2-alert-update-response': unused('the answer to a change; no skill changes alerts'),
  'v2-company': enrichment('company'),
  'v2-domain-full': enrichment('domain'),
  'v2-entity-lists': searchOfKind,
  'v2-ip-full': enrichment('ip'),
  'v2-not-found-404': checks(async (json) => {
    expect(await enrich('ip', { status: 404, json })).to.deep.include({ found: false, raw: {} })
  }),
  'v2-risk-rules-domain': ruleList,
  'v2-risk-rules-hash': ruleList,
  'v2-risk-rules-ip': ruleList,
  'v2-risk-rules-vulnerability': ruleList,
  'v2-search-domains': searchOfKind,
  'v2-search-ip': searchOfKind,
  'v2-url': enrichment('url'),
  'v2-vulnerability': enrichment('vulnerability'),
  'v3-alert-page-empty': page,
  'v3-alert-page-event': page,
  'v3-alert-page-minimal-fields': page,
  // Of the call for a single alert, which no skill makes; the record equals the one in the list.
  'v3-alert-single': keeps(async (json) => {
    const data = valueAt(json, 'data')
    if (!isObject(data)) throw new Error('the recording has no alert')
    return alerts({ data: [data], counts: { returned: 1, total: 1 } })
  }),
}
