import { dirname } from 'node:path'
import { pathToFileURL } from 'node:url'
import { declaredSandbox, loadPlugin } from '../declarative/index.ts'
import { ValidationError } from '../errors/errors.ts'
import type { Sandbox } from '../plugin/index.ts'
import {
  fileOf,
  importPlugin,
  moduleIn,
  nameIn,
  pluginModules,
  type PluginModule,
  type PluginSources,
} from './plugin-modules.ts'

/**
 * Loads the sandbox beside a plugin's module, or makes that of a `plugin.yaml` from its examples; undefined if it
 * has none.
 *
 * @param plugin Name of the plugin.
 * @throws ValidationError `plugins_invalid` if the module is not a sandbox
 */
export async function loadSandbox(sources: PluginSources, plugin: string): Promise<Sandbox | undefined> {
  const found = await moduleOf(sources, plugin)
  if (found === undefined) return undefined
  const path = moduleIn(dirname(fileOf(found)), 'sandbox')
  if (path === undefined) return found.yaml === undefined ? undefined : sandboxOf(found.yaml)
  const module = (await importPlugin(pathToFileURL(path).href)) as { readonly default?: Sandbox }
  if (typeof module.default?.start === 'function') return module.default
  throw new ValidationError('plugins_invalid', `${path} must have a sandbox as its default export`, [])
}

/**
 * How the sandbox of a plugin came about: `written` keeps a state, `recorded` only answers the requests of the examples in a
 * `plugin.yaml`. Undefined if it has none. Loads nothing.
 */
export async function sandboxKind(
  sources: PluginSources,
  plugin: string,
): Promise<'written' | 'recorded' | undefined> {
  const found = await moduleOf(sources, plugin)
  if (found === undefined) return undefined
  if (moduleIn(dirname(fileOf(found)), 'sandbox') !== undefined) return 'written'
  return found.yaml === undefined ? undefined : 'recorded'
}

async function moduleOf(sources: PluginSources, plugin: string): Promise<PluginModule | undefined> {
  for (const module of pluginModules(sources)) if ((await nameIn(module)) === plugin) return module
  return undefined
}

function sandboxOf(yaml: string): Sandbox | undefined {
  const { declared } = loadPlugin({ path: yaml, isThorough: false })
  return declared && declaredSandbox(declared)
}
