import QuickLRU from 'quick-lru'
import type { Connection } from '../domain/connection.ts'
import type { Organization } from '../domain/organization.ts'
import { PlaybookError } from '../errors/playbook-error.ts'
import { parsePlaybook } from '../playbook/read/parse.ts'
import type { Playbook } from '../playbook/language/playbook.ts'
import type { Log } from '../ports/log.ts'
import type { Stores } from '../ports/stores.ts'
import type { Catalogue } from '../registry/catalogue.ts'
import {
  disabledLookups,
  findLookups,
  leftOutSkills,
  type LeftOutSkill,
  type Lookup,
} from './find-lookups.ts'
import { makeInvestigator } from './make-investigator.ts'
import type { PlaybookLibrary } from './playbook-library.ts'

export interface MadeInvestigatorsOptions {
  readonly stores: { readonly connections: Pick<Stores['connections'], 'list'> }
  readonly library: Pick<PlaybookLibrary, 'keep'>
  readonly catalogue: Catalogue
  readonly log: Log
}

/** Types of alerts whose playbooks are kept at hand. */
const maxKept = 1_000

/**
 * Gives the playbook that is made for alerts of a type of an organization: by its connections as they are, so that one added since is
 * used. It is made once for the same list of connections, which a store gives as long as nothing of it changes.
 */
export function createMadeInvestigators({ stores, library, catalogue, log }: MadeInvestigatorsOptions) {
  const kept = new QuickLRU<
    string,
    { readonly connections: readonly Connection[]; readonly playbook: Playbook }
  >({
    maxSize: maxKept,
  })
  const leftOut = leftOutSkills(catalogue)
  for (const { skill, reason } of leftOut)
    log.warn({ skill, reason }, 'an enriching skill is left out of generated investigations')

  async function make(
    alertType: string,
    organization: Organization,
    connections: readonly Connection[],
  ): Promise<Playbook> {
    const disabled = disabledLookups(catalogue, connections)
    const keep = (lookups: readonly Lookup[], without: readonly LeftOutSkill[]) =>
      library.keep(makeInvestigator(alertType, organization, lookups, { disabled, leftOut: without }), {
        origin: 'made',
        organizationUuid: organization.uuid,
      })
    const lookups = findLookups(catalogue, connections)
    try {
      return await keep(lookups, leftOut)
    } catch (error) {
      if (!(error instanceof PlaybookError) || lookups.length === 0) throw error
      // An alert that is investigated without a source is better than one that is not investigated.
      log.error({ error }, 'the generated investigation has mistakes; it is made without what causes them')
      const [sound, unsound] = soundLookups(alertType, organization, lookups, catalogue)
      const without = [...leftOut, ...unsound]
      return keep(sound, without).catch(() => keep([], without))
    }
  }

  return async (alertType: string, organization: Organization): Promise<Playbook> => {
    const connections = await stores.connections.list([organization.uuid])
    const key = `${organization.uuid} ${alertType}`
    const known = kept.get(key)
    if (known?.connections === connections) return known.playbook
    const playbook = await make(alertType, organization, connections)
    kept.set(key, { connections, playbook })
    return playbook
  }
}

/** Those whose playbook has no mistakes where each is alone in it, and the skills of the others. */
function soundLookups(
  alertType: string,
  organization: Organization,
  lookups: readonly Lookup[],
  catalogue: Catalogue,
): readonly [sound: readonly Lookup[], unsound: readonly LeftOutSkill[]] {
  const reasons = new Map<string, string>()
  const reasonOf = ({ skill, kind, connection }: Lookup): string | undefined => {
    const alone = makeInvestigator(alertType, organization, [{ skill, kind, connection }])
    const { playbook, problems } = parsePlaybook(alone, { catalogue })
    if (playbook !== undefined) return undefined
    return problems.find(({ severity }) => severity === 'error')?.message ?? 'its playbook has mistakes'
  }
  const sound = lookups.filter((lookup) => {
    const reason = reasonOf(lookup)
    if (reason !== undefined) reasons.set(lookup.skill, reason)
    return reason === undefined
  })
  return [sound, Array.from(reasons, ([skill, reason]) => ({ skill, reason }))]
}
