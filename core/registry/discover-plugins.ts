import { existsSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { ValidationError, type PointedMessage } from '../errors/errors.ts'
import type { PluginDefinition, Sandbox } from '../plugin/index.ts'
import { buildCatalogue } from './build-catalogue.ts'
import type { Catalogue } from './catalogue.ts'
import { checkPlugin } from './check-plugin.ts'

export interface PluginSources {
  /** A folder of plugins: each folder in it with a `plugin.ts` (or `.js`, once compiled) is one. */
  readonly pluginsDir: string
  /** Further plugins: names of npm packages, or paths of modules beginning with `.` or `/`. Default: none. */
  readonly packages?: readonly string[]
}

/** Where a plugin was found, and what its module exported. */
interface Found {
  /** As the operator knows it: `plugins/http`, or the package's name. */
  readonly source: string
  readonly folder: string | undefined
  readonly plugin: unknown
}

/**
 * Imports every plugin there is and checks it. All or nothing: a playbook must not behave differently because a plugin
 * silently stayed away. Plugins of the folder have been tried by the tests that each of them has; what comes from elsewhere is
 * checked whole.
 *
 * @throws ValidationError `plugins_invalid` that lists everything wrong with every plugin; pointers begin with the source
 */
export async function discoverPlugins(sources: PluginSources): Promise<Catalogue> {
  const problems: PointedMessage[] = []
  const found: Found[] = []
  for (const candidate of candidates(sources)) {
    try {
      const module = (await import(candidate.url)) as { readonly default?: unknown }
      found.push({ source: candidate.source, folder: candidate.folder, plugin: module.default })
    } catch (cause) {
      problems.push({
        pointer: candidate.source,
        message: `cannot be imported: ${messageOf(cause, candidate.url)}`,
      })
    }
  }
  for (const { source, folder, plugin } of found) {
    for (const { pointer, message } of checkPlugin(plugin, folder, folder !== undefined)) {
      problems.push({ pointer: `${source}${pointer === '' ? '' : `:${pointer}`}`, message })
    }
  }
  checkUnique(found, problems)
  if (problems.length > 0) throw pluginsInvalid(problems)
  return buildCatalogue(found.map(({ plugin }) => plugin as PluginDefinition))
}

/**
 * The emulator of a plugin's other system, for `tocsin demo` and tests; undefined for a plugin that has none.
 *
 * @param plugin Name of the plugin.
 */
export async function loadSandbox(pluginsDir: string, plugin: string): Promise<Sandbox | undefined> {
  const path = moduleIn(join(pluginsDir, plugin.replaceAll('_', '-')), 'sandbox')
  if (path === undefined) return undefined
  const module = (await import(pathToFileURL(path).href)) as { readonly default?: Sandbox }
  if (typeof module.default?.start === 'function') return module.default
  throw new ValidationError('plugins_invalid', `${path} must export a sandbox as default`, [])
}

function candidates({
  pluginsDir,
  packages = [],
}: PluginSources): readonly (Omit<Found, 'plugin'> & { url: string })[] {
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

function moduleIn(folder: string, name: string): string | undefined {
  return [join(folder, `${name}.ts`), join(folder, `${name}.js`)].find((path) => existsSync(path))
}

function checkUnique(found: readonly Found[], problems: PointedMessage[]): void {
  const sources = new Map<unknown, string>()
  for (const { source, plugin } of found) {
    const name = (plugin as PluginDefinition | undefined)?.name
    if (typeof name !== 'string') continue
    const other = sources.get(name)
    if (other !== undefined)
      problems.push({ pointer: source, message: `the name '${name}' is taken by ${other}` })
    sources.set(name, source)
  }
}

function pluginsInvalid(problems: readonly PointedMessage[]): ValidationError {
  const lines = problems.map(({ pointer, message }) => `  ${pointer} ${message}`)
  return new ValidationError('plugins_invalid', `plugins cannot be used:\n${lines.join('\n')}`, problems, {
    hint: 'repair them, or take them out of the plugins folder or TOCSIN_PLUGINS',
  })
}

/** With the file, and the line where Node says it: it may be another file than the plugin's own. */
function messageOf(cause: unknown, url: string): string {
  if (!(cause instanceof Error)) return String(cause)
  const [first = ''] = cause.message.split('\n')
  const message = first.replace(/ imported from .*[\\/]discover-plugins\.[jt]s$/, '')
  const place = placeIn(cause.stack ?? '')
  if (place !== undefined) return `${place}: ${message}`
  return /imported from/.test(message) || !url.startsWith('file:')
    ? message
    : `${fileURLToPath(url)}: ${message}`
}

/** The first `<path>:<line>` of a module that is not Node's or this one. */
function placeIn(stack: string): string | undefined {
  for (const [, path = '', line] of stack.matchAll(
    /(?:^|\(|at )((?:file:\/\/)?\/[^\n():]+\.[cm]?[jt]s):(\d+)/gm,
  )) {
    if (/[\\/]core[\\/]registry[\\/]/.test(path)) return undefined
    return `${path.startsWith('file:') ? fileURLToPath(path) : path}:${line}`
  }
  return undefined
}
