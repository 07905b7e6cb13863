import { existsSync, readdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { registerHooks } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { once } from '../common/once.ts'
import { loadPlugin, pluginFile } from '../declarative/index.ts'
import type { PluginDefinition } from '../plugin/index.ts'

export interface PluginSources {
  /** A folder of plugins: each of its folders with a `plugin.ts` (or compiled `.js`) or `plugin.yaml` is a plugin. */
  readonly pluginsDir: string
  /**
   * Further plugins: names of npm packages, or paths that begin with `.` or `/`, of a module, a `plugin.yaml` or a folder
   * with one of them. Default: none.
   */
  readonly packages?: readonly string[]
  /**
   * A file that remembers which `plugin.yaml` files were checked, so that the next start need not read them. Default: those
   * from outside of Tocsin are always checked.
   */
  readonly checkedFile?: string
}

/** The module of a plugin. */
export interface PluginModule {
  /** Its name for operators: `plugins/http`, or the package's name. */
  readonly source: string
  /** Name of its folder, which the plugin's name must match; undefined for plugins from elsewhere. */
  readonly folder: string | undefined
  /** For `import()`: the address of a file, or the name of a package. */
  readonly url: string
  /** Path of its `plugin.yaml`; undefined for a plugin in TypeScript. */
  readonly yaml: string | undefined
  /** Path of a second declaration in the same folder, which is an error. */
  readonly rival?: string | undefined
}

/** The plugins of the folder sorted by name, then the others in the given order. */
export function pluginModules({ pluginsDir, packages = [] }: PluginSources): readonly PluginModule[] {
  const folders = existsSync(pluginsDir) ? readdirSync(pluginsDir).toSorted() : []
  const fromFolders = folders.flatMap((folder) => {
    const found = declarationIn(join(pluginsDir, folder))
    return found === undefined ? [] : [{ source: `plugins/${folder}`, folder, ...found }]
  })
  const fromPackages = packages.map((name) => ({ source: name, folder: undefined, ...declarationAt(name) }))
  return [...fromFolders, ...fromPackages]
}

type Declaration = Pick<PluginModule, 'url' | 'yaml' | 'rival'>

const declarationOf = (path: string): Declaration => ({
  url: pathToFileURL(path).href,
  yaml: /\.ya?ml$/.test(path) ? path : undefined,
})

function declarationIn(folder: string): Declaration | undefined {
  const module = moduleIn(folder, 'plugin')
  const yaml = join(folder, pluginFile)
  if (!existsSync(yaml)) return module === undefined ? undefined : declarationOf(module)
  return { ...declarationOf(yaml), rival: module }
}

/** The declaration in a package, or at the path of a file or folder. */
function declarationAt(name: string): Declaration {
  if (!/^\.{0,2}\//.test(name)) return ofPackage(name)
  const path = resolve(name)
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
  return (isFolder ? declarationIn(path) : undefined) ?? declarationOf(path)
}

/** A package whose main export is a `plugin.yaml`, or a module. */
function ofPackage(name: string): Declaration {
  try {
    const url = import.meta.resolve(name)
    if (/\.ya?ml$/.test(url)) return { url: name, yaml: fileURLToPath(url) }
  } catch {
    // The later `import()` reports why the package cannot be found.
  }
  return { url: name, yaml: undefined }
}

/** The path of `<name>.ts` or compiled `<name>.js`; undefined if neither exists. */
export function moduleIn(folder: string, name: string): string | undefined {
  return [join(folder, `${name}.ts`), join(folder, `${name}.js`)].find((path) => existsSync(path))
}

/** The name of a plugin. A package may have any name, so its plugin is loaded. */
export async function nameIn({ folder, url, yaml }: PluginModule): Promise<string | undefined> {
  if (folder !== undefined) return folder.replaceAll('-', '_')
  if (yaml !== undefined) return loadPlugin({ path: yaml, isThorough: false }).definition?.name
  const module = (await importPlugin(url)) as { readonly default?: PluginDefinition }
  return module.default?.name
}

/** Path of the file that declares a plugin. */
export const fileOf = ({ url, yaml }: PluginModule): string => yaml ?? fileURLToPath(import.meta.resolve(url))

/** Imports a module of a plugin, which gets this copy of `tocsin/plugin` if it finds none itself. */
export async function importPlugin(url: string): Promise<unknown> {
  provideOwnEntries()
  return await import(url)
}

const provideOwnEntries = once(() => {
  registerHooks({
    resolve(specifier, context, next) {
      try {
        return next(specifier, context)
      } catch (error) {
        if (!/^tocsin\/plugin(\/testing)?$/.test(specifier)) throw error
        return next(import.meta.resolve(specifier), context)
      }
    },
  })
})
