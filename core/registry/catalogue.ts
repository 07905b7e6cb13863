import type { AnySkill, ConnectionDefinition, ObservableKind, PluginDefinition } from '../plugin/index.ts'

/** A skill with its plugin, as playbooks name it. */
export interface CatalogueSkill {
  /** `<plugin>.<skill>`. */
  readonly name: string
  readonly plugin: PluginDefinition
  readonly skill: AnySkill
}

/** All installed plugins and their skills. Built once at start; read-only afterwards. */
export interface Catalogue {
  readonly plugins: readonly PluginDefinition[]
  readonly skills: readonly CatalogueSkill[]
  /** By `<plugin>.<skill>`. */
  skill(name: string): CatalogueSkill | undefined
  // eslint-disable-next-line typescript/no-explicit-any -- see AnySkill
  connection(plugin: string): ConnectionDefinition<any> | undefined
  /** Skills that declare to enrich this kind of observable. */
  enriching(kind: ObservableKind): readonly CatalogueSkill[]
}
