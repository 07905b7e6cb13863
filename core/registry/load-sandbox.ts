import { dirname } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { loadPlugin } from '../declarative/index.ts'
import { ValidationError } from '../errors/errors.ts'
import type { PluginDefinition, Sandbox } from '../plugin/index.ts'
import { moduleIn, pluginModules, type PluginModule, type PluginSources } from './plugin-modules.ts'

/**
 * Loads the sandbox beside a plugin's module; undefined if it has none.
 *
 * @param plugin Name of the plugin.
 * @throws ValidationError `plugins_invalid` if the module is not a sandbox
 */
export async function loadSandbox(sources: PluginSources, plugin: string): Promise<Sandbox | undefined> {
  const path = await pathOf(sources, plugin)
  if (path === undefined) return undefined
  const module = (await import(pathToFileURL(path).href)) as { readonly default?: Sandbox }
  if (typeof module.default?.start === 'function') return module.default
  throw new ValidationError('plugins_invalid', `${path} must have a sandbox as its default export`, [])
}

async function pathOf(sources: PluginSources, plugin: string): Promise<string | undefined> {
  for (const module of pluginModules(sources)) {
    if ((await nameOf(module)) !== plugin) continue
    const file = module.yaml ?? fileURLToPath(import.meta.resolve(module.url))
    return moduleIn(dirname(file), 'sandbox')
  }
  return undefined
}

/** A package may have any name, so its plugin must be loaded to find the plugin's name. */
async function nameOf({ folder, url, yaml }: PluginModule): Promise<string | undefined> {
  if (folder !== undefined) return folder.replaceAll('-', '_')
  if (yaml !== undefined) return loadPlugin({ path: yaml, isThorough: false }).definition?.name
  const module = (await import(url)) as { readonly default?: PluginDefinition }
  return module.default?.name
}
