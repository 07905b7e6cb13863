import type { OrganizationStore } from '../../core/ports/access/organization-store.ts'
import { unknownCodes, unknownCodeWarning } from '../egress/allow-lists.ts'
import { sharedAreas, sharedAreaWarning } from '../secrets/sources/secret-sources.ts'
import type { ConfigWarning } from './clear-text.ts'
import type { Config } from './config.ts'

/** Warnings about the configuration for the existing organizations. */
export async function organizationWarnings(
  { allowPrivateEgress, secrets, oidc }: Pick<Config, 'allowPrivateEgress' | 'secrets' | 'oidc'>,
  organizations: Pick<OrganizationStore, 'list'>,
): Promise<readonly ConfigWarning[]> {
  const egress = await unknownCodes(allowPrivateEgress, organizations)
  const variables = secrets.variables && (await unknownCodes(secrets.variables, organizations))
  const all = await organizations.list('all')
  const known = new Set(all.map(({ code }) => code.toLowerCase()))
  const mapped = new Set(oidc?.roles.flatMap(({ organizationCodes = [] }) => organizationCodes))
  const unmapped = [...mapped].filter((code) => !known.has(code.toLowerCase()))
  return [
    ...egress.map((code) => unknownCodeWarning('TOCSIN_ALLOW_PRIVATE_EGRESS', code)),
    ...(variables ?? []).map((code) => unknownCodeWarning('TOCSIN_SECRET_VARIABLES', code)),
    ...unmapped.map((code) => unknownCodeWarning('TOCSIN_OIDC_ROLES', code)),
    ...(all.length > 1 ? sharedAreas(secrets).map(sharedAreaWarning) : []),
  ]
}
