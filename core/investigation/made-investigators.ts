import QuickLRU from 'quick-lru'
import type { Connection } from '../domain/connection.ts'
import type { Organization } from '../domain/organization.ts'
import type { Playbook } from '../playbook/index.ts'
import type { Stores } from '../ports.ts'
import type { Catalogue } from '../registry/catalogue.ts'
import { disabledLookups, findLookups } from './find-lookups.ts'
import { makeInvestigator } from './make-investigator.ts'
import type { PlaybookLibrary } from './playbook-library.ts'

export interface MadeInvestigatorsOptions {
  readonly stores: { readonly connections: Pick<Stores['connections'], 'list'> }
  readonly library: Pick<PlaybookLibrary, 'keep'>
  readonly catalogue: Catalogue
}

/** Types of alerts whose playbooks are kept at hand. */
const maxKept = 1_000

/**
 * Gives the playbook that is made for alerts of a type of an organization: by its connections as they are, so that one added since is
 * used. It is made once for the same list of connections, which a store gives as long as nothing of it changes.
 */
export function createMadeInvestigators({ stores, library, catalogue }: MadeInvestigatorsOptions) {
  const kept = new QuickLRU<
    string,
    { readonly connections: readonly Connection[]; readonly playbook: Playbook }
  >({
    maxSize: maxKept,
  })
  return async (alertType: string, organization: Organization): Promise<Playbook> => {
    const connections = await stores.connections.list([organization.uuid])
    const key = `${organization.uuid} ${alertType}`
    const known = kept.get(key)
    if (known?.connections === connections) return known.playbook
    const lookups = findLookups(catalogue, connections)
    const disabled = disabledLookups(catalogue, connections)
    const source = makeInvestigator(alertType, organization, lookups, disabled)
    const playbook = await library.keep(source, { origin: 'made', organizationUuid: organization.uuid })
    kept.set(key, { connections, playbook })
    return playbook
  }
}
