import { existsSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

export interface PluginSources {
  /** A folder of plugins: each folder in it with a `plugin.ts` (or `.js`, once compiled) is one. */
  readonly pluginsDir: string
  /** Further plugins: names of npm packages, or paths of modules beginning with `.` or `/`. Default: none. */
  readonly packages?: readonly string[]
}

/** Where a plugin is to be imported from. */
export interface PluginModule {
  /** As the operator knows it: `plugins/http`, or the package's name. */
  readonly source: string
  /** Name of its folder, which the plugin is named for; undefined for what comes from elsewhere. */
  readonly folder: string | undefined
  /** For `import()`: the address of a file, or the name of a package. */
  readonly url: string
}

/** Those of the folder by name, then the others in their order. */
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

/** The path of `<name>.ts`, or `<name>.js` once compiled; undefined where there is none. */
export function moduleIn(folder: string, name: string): string | undefined {
  return [join(folder, `${name}.ts`), join(folder, `${name}.js`)].find((path) => existsSync(path))
}
