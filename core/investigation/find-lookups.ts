import type { Connection } from '../domain/connection.ts'
import { observableKinds, type ObservableKind } from '../plugin/index.ts'
import type { Catalogue, CatalogueSkill } from '../registry/catalogue.ts'
import { checkEnriching } from '../registry/check-enriching.ts'

/** A skill that can look something up for the organization, and through which connection. */
export interface Lookup {
  /** `<plugin>.<skill>`. */
  readonly skill: string
  readonly kind: ObservableKind
  /** Undefined for a skill that needs none. */
  readonly connection: string | undefined
}

/**
 * What an organization can look up: each kind of observable with each skill that declares to enrich it, through each enabled
 * connection of that skill's plugin; skills that need no connection once. In a fixed order.
 */
export function findLookups(catalogue: Catalogue, connections: readonly Connection[]): Lookup[] {
  return extractedKinds(catalogue).flatMap((kind) =>
    catalogue.enriching(kind).flatMap((enriching): Lookup[] => {
      if (whyLeftOut(enriching) !== undefined) return []
      const { name, plugin, skill } = enriching
      if (skill.connection === undefined) return [{ skill: name, kind, connection: undefined }]
      return connections
        .filter((connection) => connection.enabled && connection.plugin === plugin.name)
        .map((connection) => connection.name)
        .toSorted()
        .map((connection) => ({ skill: name, kind, connection }))
    }),
  )
}

/** Names of the connections that could look something up, and are disabled. In a fixed order. */
export function disabledLookups(catalogue: Catalogue, connections: readonly Connection[]): string[] {
  const disabled = connections.filter(({ enabled }) => !enabled)
  const asEnabled = disabled.map((connection) => ({ ...connection, enabled: true }))
  const names = findLookups(catalogue, asEnabled).flatMap(({ connection }) => connection ?? [])
  return [...new Set(names)].toSorted()
}

/** A skill that declares to enrich and cannot be composed, with the reason. */
export interface LeftOutSkill {
  readonly skill: string
  readonly reason: string
}

/** The enriching skills that generated investigations leave out, since calling them or reading their output would fail. */
export function leftOutSkills(catalogue: Catalogue): readonly LeftOutSkill[] {
  return catalogue.skills.flatMap((enriching) => {
    const reason = whyLeftOut(enriching)
    return reason === undefined ? [] : [{ skill: enriching.name, reason }]
  })
}

/** Declarations do not change while the process runs. */
const reasons = new WeakMap<CatalogueSkill['skill'], string | undefined>()

function whyLeftOut({ skill }: CatalogueSkill): string | undefined {
  if (reasons.has(skill)) return reasons.get(skill)
  const [first] = checkEnriching(skill)
  const reason = first && `${first.pointer.slice(1).replaceAll('/', '.')} ${first.message}`
  reasons.set(skill, reason)
  return reason
}

/** The kinds that `indicators.extract` says it finds: those that a made playbook can have at hand. */
function extractedKinds(catalogue: Catalogue): readonly ObservableKind[] {
  const lists = catalogue.skill('indicators.extract')?.skill.output.properties ?? {}
  return observableKinds.filter((kind) => Object.hasOwn(lists, kind))
}
