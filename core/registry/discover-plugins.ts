import { fileURLToPath } from 'node:url'
import { ValidationError, type PointedMessage } from '../errors/errors.ts'
import type { PluginDefinition } from '../plugin/index.ts'
import { buildCatalogue } from './build-catalogue.ts'
import type { Catalogue } from './catalogue.ts'
import { checkUsable } from './check-plugin.ts'
import { otherTocsin } from './other-tocsin.ts'
import { pluginModules, type PluginModule, type PluginSources } from './plugin-modules.ts'

/** What a module exported. */
interface Found extends PluginModule {
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
  for (const candidate of pluginModules(sources)) {
    try {
      const module = (await import(candidate.url)) as { readonly default?: unknown }
      found.push({ ...candidate, plugin: module.default })
    } catch (cause) {
      problems.push({
        pointer: candidate.source,
        message: `cannot be imported: ${messageOf(cause, candidate.url)}`,
      })
    }
  }
  for (const { source, folder, url, plugin } of found) {
    const other = folder === undefined ? otherTocsin(import.meta.resolve(url)) : undefined
    if (other !== undefined) problems.push({ pointer: source, message: usesOther(other) })
    for (const { pointer, message } of checkUsable(plugin, folder, folder !== undefined)) {
      problems.push({ pointer: `${source}${pointer === '' ? '' : `:${pointer}`}`, message })
    }
  }
  checkUnique(found, problems)
  if (problems.length > 0) throw pluginsInvalid(problems)
  return buildCatalogue(found.map(({ plugin }) => plugin as PluginDefinition))
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
  `uses another Tocsin than this one (${path}): install this one in its folder, or call tocsin from there`

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
