import type { OrganizationStore } from '../../core/ports/access/organization-store.ts'
import { unknownCodes, unknownCodeWarning } from '../egress/allow-lists.ts'
import { sharedAreas, sharedAreaWarning } from '../secrets/sources/secret-sources.ts'
import type { ConfigWarning } from './clear-text.ts'
import type { Config } from './config.ts'

/** Warnings about the configuration for the existing organizations. */
export async function organizationWarnings(
  { allowPrivateEgress, secrets }: Pick<Config, 'allowPrivateEgress' | 'secrets'>,
  organizations: Pick<OrganizationStore, 'list'>,
): Promise<readonly ConfigWarning[]> {
  const egress = await unknownCodes(allowPrivateEgress, organizations)
  const variables = secrets.variables && (await unknownCodes(secrets.variables, organizations))
  const areSeveral = (await organizations.list('all')).length > 1
  return [
    ...egress.map((code) => unknownCodeWarning('TOCSIN_ALLOW_PRIVATE_EGRESS', code)),
    ...(variables ?? []).map((code) => unknownCodeWarning('TOCSIN_SECRET_VARIABLES', code)),
    ...(areSeveral ? sharedAreas(secrets).map(sharedAreaWarning) : []),
  ]
}
