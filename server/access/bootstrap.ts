import { isAdministrator } from '../../core/access/account.ts'
import { theServer } from '../../core/domain/audit.ts'
import { ConflictError } from '../../core/errors/errors.ts'
import type { Stores } from '../../core/ports/stores.ts'
import { createInvitation } from './invitations.ts'
import { ensureAdminKey } from './keys.ts'

export interface Bootstrap {
  /** The admin key, if none was usable and this start created one; show it once. */
  readonly adminKey: string | undefined
  /** The link for the first administrator, if this start created the admin key of a server without accounts; show it once. */
  readonly invitationUrl: string | undefined
}

const firstOrganization = { code: 'main', name: 'Main organization' }

/** Providers that a first start creates; the API adds more. */
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

/** Creates what the first alert needs: an admin key, an organization, the well-known providers. */
export async function bootstrap(
  stores: Stores,
  givenKey: string | undefined,
  publicUrl: string,
  now: number,
): Promise<Bootstrap> {
  const accounts = await stores.accounts.list()
  const adminKey = accounts.some(isAdministrator)
    ? undefined
    : await ensureAdminKey(stores.keys, givenKey, now)
  if ((await stores.organizations.list('all')).length === 0) {
    await unlessExists(stores.organizations.create(firstOrganization, theServer))
  }
  if ((await stores.providers.list()).length === 0) {
    await Promise.all(
      knownProviders.map(([code, name]) => unlessExists(stores.providers.create({ code, name }, theServer))),
    )
  }
  const isFirst = adminKey !== undefined && accounts.length === 0
  const link = isFirst ? await createInvitation(stores, null, publicUrl, { by: theServer, now }) : undefined
  return { adminKey, invitationUrl: link?.url }
}

/** Another node that starts at the same moment may have created it. */
const unlessExists = (creation: Promise<unknown>): Promise<unknown> =>
  creation.catch((error: unknown) => {
    if (error instanceof ConflictError && /^(?:organization|provider)_exists$/.test(error.code)) return
    throw error
  })
