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
  omittedSkills,
  type OmittedSkill,
  type PossibleLookup,
} from './find-lookups.ts'
import { generateInvestigator } from './generate-investigator.ts'
import type { PlaybookLibrary } from './playbook-library.ts'

export interface InvestigatorGeneratorOptions {
  readonly stores: { readonly connections: Pick<Stores['connections'], 'list'> }
  readonly library: Pick<PlaybookLibrary, 'keep'>
  readonly catalogue: Catalogue
  readonly log: Log
}

/** Maximum number of cached playbooks. */
const maxKept = 1_000

/**
 * Generates the playbook for an alert type of an organization from its current connections. Cached by the
 * list of connections, which the store returns unchanged until a connection changes.
 */
export function createInvestigatorGenerator({
  stores,
  library,
  catalogue,
  log,
}: InvestigatorGeneratorOptions) {
  const kept = new QuickLRU<
    string,
    { readonly connections: readonly Connection[]; readonly playbook: Playbook }
  >({
    maxSize: maxKept,
  })
  const leftOut = omittedSkills(catalogue)
  for (const { skill, reason } of leftOut)
    log.warn({ skill, reason }, 'generated playbooks omit an enriching skill')

  async function make(
    alertType: string,
    organization: Organization,
    connections: readonly Connection[],
  ): Promise<Playbook> {
    const disabled = disabledLookups(catalogue, connections)
    const keep = (lookups: readonly PossibleLookup[], without: readonly OmittedSkill[]) =>
      library.keep(generateInvestigator(alertType, organization, lookups, { disabled, leftOut: without }), {
        origin: 'made',
        organizationUuid: organization.uuid,
      })
    const lookups = findLookups(catalogue, connections)
    try {
      return await keep(lookups, leftOut)
    } catch (error) {
      if (!(error instanceof PlaybookError) || lookups.length === 0) throw error
      // If a source is unavailable, the alert is investigated without it.
      log.error(
        { error },
        'the generated investigation is invalid; generating it without the lookups that cause this',
      )
      const [sound, unsound] = soundLookups(alertType, organization, lookups, catalogue)
      const without = [...leftOut, ...unsound]
      return keep(sound, without).catch(() => keep([], without))
    }
  }

  const keyOf = (alertType: string, { uuid }: Organization): string => `${uuid} ${alertType}`
  function current(
    alertType: string,
    organization: Organization,
    connections: readonly Connection[],
  ): Playbook | undefined {
    const known = kept.get(keyOf(alertType, organization))
    return known?.connections === connections ? known.playbook : undefined
  }

  return {
    async generate(alertType: string, organization: Organization): Promise<Playbook> {
      const connections = await stores.connections.list([organization.uuid])
      const known = current(alertType, organization, connections)
      if (known !== undefined) return known
      const playbook = await make(alertType, organization, connections)
      kept.set(keyOf(alertType, organization), { connections, playbook })
      return playbook
    },
    /** The playbook, if it was generated before and nothing has changed since. */
    async known(alertType: string, organization: Organization): Promise<Playbook | undefined> {
      return current(alertType, organization, await stores.connections.list([organization.uuid]))
    },
  }
}

/** The lookups that pass validation in a minimal playbook, and the skills of those that fail it. */
function soundLookups(
  alertType: string,
  organization: Organization,
  lookups: readonly PossibleLookup[],
  catalogue: Catalogue,
): readonly [sound: readonly PossibleLookup[], unsound: readonly OmittedSkill[]] {
  const reasons = new Map<string, string>()
  const reasonOf = ({ skill, kind, connection }: PossibleLookup): string | undefined => {
    const alone = generateInvestigator(alertType, organization, [{ skill, kind, connection }])
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
