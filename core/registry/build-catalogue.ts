import type { PluginDefinition } from '../plugin/index.ts'
import type { Catalogue, CatalogueSkill } from './catalogue.ts'

/** The catalogue of plugins that have been checked, in the order of their names. */
export function buildCatalogue(plugins: readonly PluginDefinition[]): Catalogue {
  const sorted = plugins.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  const skills: readonly CatalogueSkill[] = sorted.flatMap((plugin) =>
    plugin.skills.map((skill) => ({ name: `${plugin.name}.${skill.name}`, plugin, skill })),
  )
  const skillsByName = new Map(skills.map((entry) => [entry.name, entry]))
  const pluginsByName = new Map(sorted.map((plugin) => [plugin.name, plugin]))
  return {
    plugins: sorted,
    skills,
    skill: (name) => skillsByName.get(name),
    connection: (plugin) => pluginsByName.get(plugin)?.connection,
    enriching: (kind) => skills.filter(({ skill }) => skill.enriches?.includes(kind) === true),
  }
}
