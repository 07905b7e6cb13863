import type { Connection } from '../domain/connection.ts'
import { observableKinds, type ObservableKind } from '../plugin/index.ts'
import { candidatesFor } from '../interface/choose-calls.ts'
import type { Catalogue } from '../registry/catalogue.ts'
import { enrichingFault } from '../registry/check-enriching.ts'

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
  const implementers = catalogue.implementing('enrich')
  return extractedKinds(catalogue).flatMap((kind) =>
    candidatesFor({ of: 'enrich', input: { kind }, implementers, connections }).map(
      ({ skill, connection }) => ({ skill, kind, connection: connection ?? undefined }),
    ),
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
  return catalogue.skills.flatMap(({ name, skill }) => {
    const reason = enrichingFault(skill)
    return reason === undefined ? [] : [{ skill: name, reason }]
  })
}

/** The kinds that `indicators.extract` finds, which generated playbooks can use. */
function extractedKinds(catalogue: Catalogue): readonly ObservableKind[] {
  const lists = catalogue.skill('indicators.extract')?.skill.output.properties ?? {}
  return observableKinds.filter((kind) => Object.hasOwn(lists, kind))
}
