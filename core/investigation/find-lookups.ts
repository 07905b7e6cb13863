import type { Connection } from '../domain/connection.ts'
import type { ObservableKind } from '../plugin/index.ts'
import type { Catalogue } from '../registry/catalogue.ts'
import type { Lookup } from './make-investigator.ts'

/** The kinds that `indicators.extract` finds in an alert. */
const foundKinds: readonly ObservableKind[] = [
  'ip',
  'domain',
  'url',
  'hash',
  'email',
  'host',
  'user',
  'vulnerability',
]

/**
 * What an organization can look up: each kind of observable with each skill that declares to enrich it, through each enabled
 * connection of that skill's plugin; skills that need no connection once. In a fixed order.
 */
export function findLookups(catalogue: Catalogue, connections: readonly Connection[]): Lookup[] {
  return foundKinds.flatMap((kind) =>
    catalogue.enriching(kind).flatMap(({ name, plugin, skill }): Lookup[] => {
      if (skill.connection === undefined) return [{ skill: name, kind, connection: undefined }]
      return connections
        .filter((connection) => connection.enabled && connection.plugin === plugin.name)
        .map((connection) => connection.name)
        .toSorted()
        .map((connection) => ({ skill: name, kind, connection }))
    }),
  )
}
