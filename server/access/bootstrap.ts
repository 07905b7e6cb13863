import { theServer } from '../../core/domain/audit.ts'
import type { Stores } from '../../core/ports/stores.ts'
import { ensureAdminKey } from './keys.ts'

/** What a first start made. */
export interface Bootstrap {
  /** The admin key, where one was made here since none was usable: to be shown once. */
  readonly adminKey: string | undefined
}

/** The organization that a first start makes. */
const firstOrganization = { code: 'main', name: 'Main organization' }

/** Providers known from the first start on; more are added over the API. */
const knownProviders: readonly (readonly [code: string, name: string])[] = [
  ['aws', 'Amazon Web Services'],
  ['azure', 'Microsoft Azure'],
  ['carbon_black', 'Carbon Black'],
  ['cloudflare', 'Cloudflare'],
  ['cortex_xdr', 'Cortex XDR'],
  ['crowdstrike', 'CrowdStrike Falcon'],
  ['custom', 'Anything else'],
  ['darktrace', 'Darktrace'],
  ['defender', 'Microsoft Defender'],
  ['elastic', 'Elastic Security'],
  ['gcp', 'Google Cloud'],
  ['github', 'GitHub'],
  ['google_workspace', 'Google Workspace'],
  ['guardduty', 'Amazon GuardDuty'],
  ['microsoft365', 'Microsoft 365'],
  ['okta', 'Okta'],
  ['proofpoint', 'Proofpoint'],
  ['qradar', 'QRadar'],
  ['sentinel', 'Microsoft Sentinel'],
  ['sentinelone', 'SentinelOne'],
  ['servicenow', 'ServiceNow'],
  ['splunk', 'Splunk'],
  ['suricata', 'Suricata'],
  ['wazuh', 'Wazuh'],
  ['wiz', 'Wiz'],
]

/** Makes what a data directory needs before the first alert can come: a key, an organization, the well-known providers. */
export async function bootstrap(
  stores: Stores,
  givenKey: string | undefined,
  now: number,
): Promise<Bootstrap> {
  const adminKey = await ensureAdminKey(stores.keys, givenKey, now)
  if ((await stores.organizations.list('all')).length === 0) {
    await stores.organizations.create(firstOrganization, theServer)
  }
  if ((await stores.providers.list()).length === 0) {
    await Promise.all(
      knownProviders.map(([code, name]) => stores.providers.create({ code, name }, theServer)),
    )
  }
  return { adminKey }
}
