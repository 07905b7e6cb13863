import { dirname, relative } from 'node:path'
import { discoverPlugins } from '../../core/registry/discover-plugins.ts'
import {
  fileOf,
  nameIn,
  pluginModules,
  type PluginModule,
  type PluginSources,
} from '../../core/registry/plugin-modules.ts'
import { paint } from '../output/paint.ts'
import { printable } from '../output/printable.ts'
import { table } from '../output/table.ts'

/** An installed plugin and its origin. */
export interface ListedPlugin {
  readonly name: string
  readonly title: string
  readonly kind: PluginKind
  /** `plugins/<folder>`, or its entry in TOCSIN_PLUGINS. */
  readonly source: string
  /** Of the file that declares it. */
  readonly path: string
  readonly needs_connection: boolean
  readonly skills: readonly string[]
}

export type PluginKind = 'TypeScript' | 'YAML'

export const pluginKindOf = ({ yaml }: PluginModule): PluginKind =>
  yaml === undefined ? 'TypeScript' : 'YAML'

/**
 * All installed plugins.
 *
 * @throws ValidationError `plugins_invalid`
 */
export async function listPlugins(sources: PluginSources): Promise<readonly ListedPlugin[]> {
  const { plugins } = await discoverPlugins(sources)
  const named = await Promise.all(
    pluginModules(sources).map(async (module) => ({ module, name: await nameIn(module) })),
  )
  return plugins.flatMap(({ name, title, connection, skills }) => {
    const module = named.find((each) => each.name === name)?.module
    if (module === undefined) return []
    return {
      name,
      title,
      kind: pluginKindOf(module),
      source: module.source,
      path: fileOf(module),
      needs_connection: connection !== undefined,
      skills: skills.map((skill) => `${name}.${skill.name}`),
    }
  })
}

export function pluginTable(plugins: readonly ListedPlugin[]): string {
  const rows = plugins.map(({ name, title, kind, skills, source, path }) => [
    paint.strong(name),
    printable(title),
    kind,
    String(skills.length),
    printable(source.startsWith('plugins/') ? source : `${source} (${relative('.', dirname(path)) || '.'})`),
  ])
  return table(['PLUGIN', 'TITLE', 'KIND', 'SKILLS', 'FROM'], rows)
}
