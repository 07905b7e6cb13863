import { implementationsOf } from '../interface/definitions.ts'
import { interfaceSkills } from '../interface/interface-skills.ts'
import type { AnySkill, ConnectionDefinition, PluginDefinition } from '../plugin/index.ts'
import { enrichingFault } from './check-enriching.ts'

/** A skill with its plugin, as playbooks name it. */
export interface CatalogueSkill {
  /** `<plugin>.<skill>`. */
  readonly name: string
  readonly plugin: PluginDefinition
  readonly skill: AnySkill
  /** Of an interface: names of the skills that implement it. Default: not an interface. */
  readonly implementedBy?: readonly string[]
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
  /** What playbooks can use: the skills, and then the interfaces. */
  readonly usable: readonly CatalogueSkill[]
  /** By `<plugin>.<skill>` or `interface.<name>`. */
  skill(name: string): CatalogueSkill | undefined
  // eslint-disable-next-line typescript/no-explicit-any -- see AnySkill
  connection(plugin: string): ConnectionDefinition<any> | undefined
  /** Skills that implement an interface, by its name without `interface.`. */
  implementing(name: string): readonly CatalogueSkill[]
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
  const implementing = (name: string): readonly CatalogueSkill[] => {
    const known = implementers.get(name) ?? skills.filter(({ skill }) => doesImplement(skill, name))
    implementers.set(name, known)
    return known
  }
  const implementers = new Map<string, readonly CatalogueSkill[]>()
  const usable: readonly CatalogueSkill[] = [
    ...skills,
    ...interfaceSkills.map(({ name, plugin, skill }) => ({
      name,
      plugin,
      skill,
      get implementedBy() {
        return implementing(skill.name).map((each) => each.name)
      },
    })),
  ]
  const skillsByName = new Map(usable.map((entry) => [entry.name, entry]))
  const pluginsByName = new Map(sorted.map((plugin) => [plugin.name, plugin]))
  return {
    plugins: sorted,
    origin: (plugin) => origins.get(plugin),
    skills,
    usable,
    skill: (name) => skillsByName.get(name),
    connection: (plugin) => pluginsByName.get(plugin)?.connection,
    implementing,
  }
}

/** An enriching skill that would fail as an interface implements none. */
const doesImplement = (skill: AnySkill, name: string): boolean =>
  name === 'enrich'
    ? (skill.enriches?.length ?? 0) > 0 && enrichingFault(skill) === undefined
    : Object.hasOwn(implementationsOf(skill), name)

/** Names of the interfaces that a skill implements. */
export const interfacesOf = (skill: AnySkill): readonly string[] => [
  ...((skill.enriches?.length ?? 0) > 0 ? ['enrich'] : []),
  ...Object.keys(implementationsOf(skill)),
]

/** The whole name of a related skill. */
const nameOf = (plugin: PluginDefinition, related: string | { readonly skill: string } | undefined) =>
  related === undefined ? null : `${plugin.name}.${typeof related === 'string' ? related : related.skill}`

/** A skill as the API and `tocsin skills --json` show it. */
export const skillView = ({ name, plugin, skill, implementedBy }: CatalogueSkill) => ({
  name,
  title: skill.title,
  description: skill.description,
  docs: skill.docs ?? null,
  permissions: skill.permissions ?? [],
  plugin: plugin.name,
  plugin_title: plugin.title,
  effect: skill.effect,
  // That of an interface depends on the vendor.
  repeat: skill.effect === 'write' && implementedBy === undefined ? skill.repeat : null,
  destructive: skill.effect === 'write' ? (skill.destructive ?? null) : null,
  undone_by: skill.effect === 'write' ? nameOf(plugin, skill.undoneBy) : null,
  irreversible: skill.effect === 'write' ? (skill.irreversible ?? null) : null,
  restores: skill.effect === 'write' && skill.restores === true,
  state_by: skill.effect === 'write' ? nameOf(plugin, skill.stateBy) : null,
  state_unreadable: skill.effect === 'write' ? (skill.stateUnreadable ?? null) : null,
  follow_with: skill.effect === 'write' ? nameOf(plugin, skill.followWith) : null,
  enriches: skill.enriches ?? [],
  implements: interfacesOf(skill),
  implemented_by: implementedBy ?? [],
  needs_connection: skill.connection !== undefined && skill.connectionIsOptional !== true,
  asks: skill.asks === true,
  input: skill.input,
  output: skill.output,
})
