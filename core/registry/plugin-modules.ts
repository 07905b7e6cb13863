import { existsSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

export interface PluginSources {
  /** A folder of plugins: each of its folders with a `plugin.ts` (or compiled `.js`) is a plugin. */
  readonly pluginsDir: string
  /** Further plugins: names of npm packages, or paths of modules beginning with `.` or `/`. Default: none. */
  readonly packages?: readonly string[]
}

/** The module of a plugin. */
export interface PluginModule {
  /** Its name for operators: `plugins/http`, or the package's name. */
  readonly source: string
  /** Name of its folder, which the plugin's name must match; undefined for plugins from elsewhere. */
  readonly folder: string | undefined
  /** For `import()`: the address of a file, or the name of a package. */
  readonly url: string
}

/** The plugins of the folder sorted by name, then the others in the given order. */
export function pluginModules({ pluginsDir, packages = [] }: PluginSources): readonly PluginModule[] {
  const folders = existsSync(pluginsDir) ? readdirSync(pluginsDir).toSorted() : []
  const fromFolders = folders.flatMap((folder) => {
    const path = moduleIn(join(pluginsDir, folder), 'plugin')
    return path === undefined ? [] : [{ source: `plugins/${folder}`, folder, url: pathToFileURL(path).href }]
  })
  const fromPackages = packages.map((name) => ({
    source: name,
    folder: undefined,
    url: /^\.{0,2}\//.test(name) ? pathToFileURL(resolve(name)).href : name,
  }))
  return [...fromFolders, ...fromPackages]
}

/** The path of `<name>.ts` or compiled `<name>.js`; undefined if neither exists. */
export function moduleIn(folder: string, name: string): string | undefined {
  return [join(folder, `${name}.ts`), join(folder, `${name}.js`)].find((path) => existsSync(path))
}
