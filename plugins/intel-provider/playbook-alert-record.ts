import { SkillError, textAt, type JsonObject } from 'tocsin/plugin'

/** A playbook alert of the search: the fields that playbooks branch on, and the whole record in `raw`. */
export interface PlaybookAlert {
  readonly id: string
  readonly category: string | null
  readonly title: string | null
  readonly status: string | null
  readonly priority: string | null
  readonly assignee: string | null
  readonly created: string | null
  readonly updated: string | null
  readonly raw: JsonObject
  /** Null if not requested, or if the alert was deleted after it was listed. */
  readonly details: JsonObject | null
}

/** Throws SkillError `bad_response` for an alert without an id. */
export function decodePlaybookAlert(alert: JsonObject): PlaybookAlert {
  const id = textAt(alert, 'playbook_alert_id')
  if (id === null)
    throw new SkillError('bad_response', 'the provider returned a playbook alert without an id')
  return {
    id,
    category: textAt(alert, 'category'),
    title: textAt(alert, 'title'),
    status: textAt(alert, 'status'),
    priority: textAt(alert, 'priority'),
    assignee: textAt(alert, 'assignee_name'),
    created: textAt(alert, 'created'),
    updated: textAt(alert, 'updated'),
    raw: alert,
    details: null,
  }
}

/** The path segment for the details of a category; other categories have common details only. */
const detailPaths = new Map([
  ['domain_abuse', 'domain_abuse'],
  ['cyber_vulnerability', 'vulnerability'],
  ...[
    'code_repo_leakage',
    'third_party_risk',
    'identity_novel_exposures',
    'geopolitics_facility',
    'malware_report',
    'malicious_sites',
    'compromised_bank_checks',
  ].map((name) => [name, name] as const),
])

/** The request for the details of an alert. Ids contain a colon, so they are encoded. */
export function detailRequest({ id, category }: Pick<PlaybookAlert, 'id' | 'category'>): {
  readonly method: 'GET' | 'POST'
  readonly path: readonly string[]
} {
  const segment = detailPaths.get(category ?? '')
  return segment === undefined
    ? { method: 'GET', path: ['playbook-alert', 'common', id] }
    : { method: 'POST', path: ['playbook-alert', segment, id] }
}
