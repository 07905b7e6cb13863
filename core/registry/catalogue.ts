import type { AnySkill, ConnectionDefinition, ObservableKind, PluginDefinition } from '../plugin/index.ts'

/** A skill with its plugin, as playbooks name it. */
export interface CatalogueSkill {
  /** `<plugin>.<skill>`. */
  readonly name: string
  readonly plugin: PluginDefinition
  readonly skill: AnySkill
}

/** How a plugin is written, and where it was found. */
export interface PluginOrigin {
  readonly kind: 'typescript' | 'yaml'
  /** `plugins/<folder>`, the name of a package, or the last part of a path. */
  readonly source: string
}

/** All installed plugins and their skills. Built once at start; read-only afterwards. */
export interface Catalogue {
  readonly plugins: readonly PluginDefinition[]
  /** Undefined for a plugin that was not found in a folder or package. */
  origin(plugin: string): PluginOrigin | undefined
  readonly skills: readonly CatalogueSkill[]
  /** By `<plugin>.<skill>`. */
  skill(name: string): CatalogueSkill | undefined
  // eslint-disable-next-line typescript/no-explicit-any -- see AnySkill
  connection(plugin: string): ConnectionDefinition<any> | undefined
  /** Skills that declare to enrich this kind of observable. */
  enriching(kind: ObservableKind): readonly CatalogueSkill[]
}

/** Builds the catalogue of checked plugins, sorted by name. `origins` are by name. */
export function buildCatalogue(
  plugins: readonly PluginDefinition[],
  origins: ReadonlyMap<string, PluginOrigin> = new Map(),
): Catalogue {
  const sorted = plugins.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  const skills: readonly CatalogueSkill[] = sorted.flatMap((plugin) =>
    plugin.skills.map((skill) => ({ name: `${plugin.name}.${skill.name}`, plugin, skill })),
  )
  const skillsByName = new Map(skills.map((entry) => [entry.name, entry]))
  const pluginsByName = new Map(sorted.map((plugin) => [plugin.name, plugin]))
  return {
    plugins: sorted,
    origin: (plugin) => origins.get(plugin),
    skills,
    skill: (name) => skillsByName.get(name),
    connection: (plugin) => pluginsByName.get(plugin)?.connection,
    enriching: (kind) => skills.filter(({ skill }) => skill.enriches?.includes(kind) === true),
  }
}

/** A skill as the API and `tocsin skills --json` show it. */
export const skillView = ({ name, plugin, skill }: CatalogueSkill) => ({
  name,
  title: skill.title,
  description: skill.description,
  docs: skill.docs ?? null,
  permissions: skill.permissions ?? [],
  plugin: plugin.name,
  plugin_title: plugin.title,
  effect: skill.effect,
  repeat: skill.effect === 'write' ? skill.repeat : null,
  destructive: skill.effect === 'write' ? (skill.destructive ?? null) : null,
  enriches: skill.enriches ?? [],
  needs_connection: skill.connection !== undefined && skill.connectionIsOptional !== true,
  asks: skill.asks === true,
  input: skill.input,
  output: skill.output,
})
