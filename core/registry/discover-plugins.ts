import { fileURLToPath } from 'node:url'
import { loadOnce, openCheckedPlugins, type CheckedPlugins } from '../declarative/index.ts'
import { ValidationError, type PointedMessage } from '../errors/errors.ts'
import type { Problem } from '../playbook/language/problem.ts'
import type { PluginDefinition } from '../plugin/index.ts'
import { type Catalogue, type PluginOrigin, buildCatalogue } from './catalogue.ts'
import { checkUsable } from './check-plugin.ts'
import { importPlugin, pluginModules, type PluginModule, type PluginSources } from './plugin-modules.ts'
import { realpathSync } from 'node:fs'
import { basename } from 'node:path'
import { createRequire } from 'node:module'

type OnWarnings = (file: string, warnings: readonly Problem[]) => void

/** A module and its default export. */
interface Found extends PluginModule {
  readonly plugin: unknown
}

/**
 * Imports and checks all plugins. All or nothing: a playbook must not behave differently because a plugin is
 * silently missing. Plugins of the folder are checked by their own tests, so only plugins from elsewhere are
 * checked completely.
 *
 * @param onWarnings receives the warnings about each declared plugin, unless it was checked before
 * @throws ValidationError `plugins_invalid` that lists everything wrong with every plugin; pointers begin
 * with the source
 */
export async function discoverPlugins(sources: PluginSources, onWarnings?: OnWarnings): Promise<Catalogue> {
  const problems: PointedMessage[] = []
  const found: Found[] = []
  const checked = openCheckedPlugins(sources.checkedFile)
  for (const candidate of pluginModules(sources)) {
    if (candidate.yaml !== undefined) {
      const plugin = declaredPlugin(candidate, candidate.yaml, { checked, problems, onWarnings })
      if (plugin !== undefined) found.push({ ...candidate, plugin })
      continue
    }
    try {
      const module = (await importPlugin(candidate.url)) as { readonly default?: unknown }
      found.push({ ...candidate, plugin: module.default })
    } catch (cause) {
      problems.push({
        pointer: candidate.source,
        message: `cannot be imported: ${messageOf(cause, candidate.url)}`,
      })
    }
  }
  for (const { source, folder, url, yaml, plugin } of found) {
    const other =
      folder === undefined && yaml === undefined ? otherTocsin(import.meta.resolve(url)) : undefined
    if (other !== undefined) problems.push({ pointer: source, message: usesOther(other) })
    // The reader of declared plugins has checked their schemas and examples.
    const isTried = folder !== undefined || yaml !== undefined
    for (const { pointer, message } of checkUsable(plugin, folder, isTried)) {
      problems.push({ pointer: `${source}${pointer === '' ? '' : `:${pointer}`}`, message })
    }
  }
  checkUnique(found, problems)
  if (problems.length > 0) throw pluginsInvalid(problems)
  checked.save()
  const named = found.map((one) => ({ ...one, plugin: one.plugin as PluginDefinition }))
  return buildCatalogue(
    named.map(({ plugin }) => plugin),
    new Map(named.map((one) => [one.plugin.name, originOf(one)])),
  )
}

/** Without the folders above a path, which concern only operators. */
const originOf = ({ source, folder, yaml }: PluginModule): PluginOrigin => ({
  kind: yaml === undefined ? 'typescript' : 'yaml',
  source: folder === undefined && /^\.{0,2}\//.test(source) ? basename(source) : source,
})

interface Checking {
  readonly checked: CheckedPlugins
  readonly problems: PointedMessage[]
  readonly onWarnings: OnWarnings | undefined
}

/** Reads a `plugin.yaml`; undefined if it has errors, each of which is reported at its place. */
function declaredPlugin(
  { source, folder, rival }: PluginModule,
  path: string,
  { checked, problems, onWarnings }: Checking,
): PluginDefinition | undefined {
  if (rival !== undefined)
    problems.push({
      pointer: source,
      message: `has ${basename(path)} and ${basename(rival)}: remove one of them`,
    })
  const isNamedAfterFolder = folder !== undefined
  // Tests of the folder compile its schemas, as they do for plugins in TypeScript.
  const isThorough = folder === undefined
  const file = folder === undefined ? path : `${source}/${basename(path)}`
  try {
    const loaded = loadOnce({ path, file, isNamedAfterFolder, isThorough }, checked)
    for (const { severity, code, line, column, message, hint } of loaded.problems) {
      if (severity !== 'error') continue
      const advice = hint === undefined ? '' : ` (${hint})`
      problems.push({ pointer: `${file}:${line}:${column}`, message: `${code} ${message}${advice}` })
    }
    const warnings = loaded.problems.filter(({ severity }) => severity === 'warning')
    if (warnings.length > 0) onWarnings?.(file, warnings)
    return loaded.definition
  } catch (cause) {
    problems.push({ pointer: source, message: `cannot be read: ${(cause as Error).message}` })
    return undefined
  }
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

const usesOther = (path: string) =>
  `uses a different copy of Tocsin (${path}): install this one in its folder, or run tocsin from there`

function pluginsInvalid(problems: readonly PointedMessage[]): ValidationError {
  const lines = problems.map(({ pointer, message }) => `  ${pointer} ${message}`)
  return new ValidationError('plugins_invalid', `plugins cannot be used:\n${lines.join('\n')}`, problems, {
    hint: 'fix them, or remove them from the plugins folder or TOCSIN_PLUGINS',
  })
}

/** The message with the file and line that Node reports, which may be outside the plugin. */
function messageOf(cause: unknown, url: string): string {
  if (!(cause instanceof Error)) return String(cause)
  const [first = ''] = cause.message.split('\n')
  const message = first.replace(/ imported from .*[\\/]plugin-modules\.[jt]s$/, '')
  const place = placeIn(cause.stack ?? '')
  if (place !== undefined) return `${place}: ${message}`
  return /imported from/.test(message) || !url.startsWith('file:')
    ? message
    : `${fileURLToPath(url)}: ${message}`
}

/** The first `<path>:<line>` of the stack outside Node and this module. */
function placeIn(stack: string): string | undefined {
  for (const [, path = '', line] of stack.matchAll(
    /(?:^|\(|at )((?:file:\/\/)?\/[^\n():]+\.[cm]?[jt]s):(\d+)/gm,
  )) {
    if (/[\\/]core[\\/]registry[\\/]/.test(path)) return undefined
    return `${path.startsWith('file:') ? fileURLToPath(path) : path}:${line}`
  }
  return undefined
}

const own = realpathSync(fileURLToPath(import.meta.resolve('tocsin/plugin')))

/**
 * The place of a different copy of `tocsin/plugin` that a module would import; undefined if it finds the
 * running one or none. Errors of another copy are not recognized, so a busy system would not be retried.
 *
 * @param url Address of the module's file.
 */
function otherTocsin(url: string): string | undefined {
  try {
    const used = realpathSync(createRequire(url).resolve('tocsin/plugin'))
    return used === own ? undefined : used
  } catch {
    return undefined
  }
}
