import { dirname } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { ValidationError } from '../errors/errors.ts'
import type { PluginDefinition, Sandbox } from '../plugin/index.ts'
import { moduleIn, pluginModules, type PluginModule, type PluginSources } from './plugin-modules.ts'

/**
 * The emulator of a plugin's other system, which stands beside the plugin's module; undefined for a plugin that has none.
 *
 * @param plugin Name of the plugin.
 * @throws ValidationError `plugins_invalid` when what stands there is no sandbox
 */
export async function loadSandbox(sources: PluginSources, plugin: string): Promise<Sandbox | undefined> {
  const path = await pathOf(sources, plugin)
  if (path === undefined) return undefined
  const module = (await import(pathToFileURL(path).href)) as { readonly default?: Sandbox }
  if (typeof module.default?.start === 'function') return module.default
  throw new ValidationError('plugins_invalid', `${path} must export a sandbox as default`, [])
}

async function pathOf(sources: PluginSources, plugin: string): Promise<string | undefined> {
  for (const module of pluginModules(sources)) {
    if ((await nameOf(module)) !== plugin) continue
    return moduleIn(dirname(fileURLToPath(import.meta.resolve(module.url))), 'sandbox')
  }
  return undefined
}

/** A package's name is free: only its plugin knows what it is called. */
async function nameOf({ folder, url }: PluginModule): Promise<string | undefined> {
  if (folder !== undefined) return folder.replaceAll('-', '_')
  const module = (await import(url)) as { readonly default?: PluginDefinition }
  return module.default?.name
}
