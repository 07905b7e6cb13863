import { dirname } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { declaredSandbox, loadPlugin } from '../declarative/index.ts'
import { ValidationError } from '../errors/errors.ts'
import type { PluginDefinition, Sandbox } from '../plugin/index.ts'
import { moduleIn, pluginModules, type PluginModule, type PluginSources } from './plugin-modules.ts'

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
  const file = found.yaml ?? fileURLToPath(import.meta.resolve(found.url))
  const path = moduleIn(dirname(file), 'sandbox')
  if (path === undefined) return found.yaml === undefined ? undefined : sandboxOf(found.yaml)
  const module = (await import(pathToFileURL(path).href)) as { readonly default?: Sandbox }
  if (typeof module.default?.start === 'function') return module.default
  throw new ValidationError('plugins_invalid', `${path} must have a sandbox as its default export`, [])
}

async function moduleOf(sources: PluginSources, plugin: string): Promise<PluginModule | undefined> {
  for (const module of pluginModules(sources)) if ((await nameOf(module)) === plugin) return module
  return undefined
}

function sandboxOf(yaml: string): Sandbox | undefined {
  const { declared } = loadPlugin({ path: yaml, isThorough: false })
  return declared && declaredSandbox(declared)
}

/** A package may have any name, so its plugin must be loaded to find the plugin's name. */
async function nameOf({ folder, url, yaml }: PluginModule): Promise<string | undefined> {
  if (folder !== undefined) return folder.replaceAll('-', '_')
  if (yaml !== undefined) return loadPlugin({ path: yaml, isThorough: false }).definition?.name
  const module = (await import(url)) as { readonly default?: PluginDefinition }
  return module.default?.name
}
