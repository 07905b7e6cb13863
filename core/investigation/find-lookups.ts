import type { Connection } from '../domain/connection.ts'
import { observableKinds, type ObservableKind } from '../plugin/index.ts'
import type { Catalogue, CatalogueSkill } from '../registry/catalogue.ts'
import { checkEnriching } from '../registry/check-enriching.ts'

/** A skill that can look up an observable for the organization, with its connection. */
export interface PossibleLookup {
  /** `<plugin>.<skill>`. */
  readonly skill: string
  readonly kind: ObservableKind
  /** Undefined if the skill needs none. */
  readonly connection: string | undefined
}

/**
 * The lookups of an organization: each kind of observable with each skill that enriches it, over each enabled
 * connection of the skill's plugin, or once without a connection. In a fixed order.
 */
export function findLookups(catalogue: Catalogue, connections: readonly Connection[]): PossibleLookup[] {
  return extractedKinds(catalogue).flatMap((kind) =>
    catalogue.enriching(kind).flatMap((enriching): PossibleLookup[] => {
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

/** Names of disabled connections with enriching skills, in a fixed order. */
export function disabledLookups(catalogue: Catalogue, connections: readonly Connection[]): string[] {
  const disabled = connections.filter(({ enabled }) => !enabled)
  const asEnabled = disabled.map((connection) => ({ ...connection, enabled: true }))
  const names = findLookups(catalogue, asEnabled).flatMap(({ connection }) => connection ?? [])
  return [...new Set(names)].toSorted()
}

/** An enriching skill that generated investigations cannot use, with the reason. */
export interface OmittedSkill {
  readonly skill: string
  readonly reason: string
}

/**
 * The enriching skills that generated investigations leave out, because calling them or reading their output
 * would fail.
 */
export function omittedSkills(catalogue: Catalogue): readonly OmittedSkill[] {
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

/** The kinds that `indicators.extract` finds, which generated playbooks can use. */
function extractedKinds(catalogue: Catalogue): readonly ObservableKind[] {
  const lists = catalogue.skill('indicators.extract')?.skill.output.properties ?? {}
  return observableKinds.filter((kind) => Object.hasOwn(lists, kind))
}
