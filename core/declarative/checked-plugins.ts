import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, sep } from 'node:path'
import type { AnySkill, ConnectionDefinition, PluginDefinition } from '../plugin/index.ts'

/**
 * Caches the declarations of checked plugins, so that a restart does not read their YAML. A plugin is
 * compiled on first use.
 */
export interface CheckedPlugins {
  /**
   * The cached plugin of a source; undefined if the source was not checked before.
   *
   * @param compile reads and compiles the source, when the plugin is first used
   */
  find(key: string, compile: () => PluginDefinition): PluginDefinition | undefined
  /** @param path of the `plugin.yaml` */
  add(key: string, plugin: PluginDefinition, path: string): void
  /** Writes new entries and drops unused ones. A failed write is ignored. */
  save(): void
}

type AnyConnection = ConnectionDefinition<never>

/** An object of a declaration without its functions, plus the names of those functions. */
interface Declaration {
  readonly data: Readonly<Record<string, unknown>>
  readonly functions: readonly string[]
  /** Objects with functions inside, such as `inbound` and `implements`. */
  readonly groups: Readonly<Record<string, Declaration>>
}

interface Remembered {
  readonly plugin: Declaration
  readonly connection: Declaration | undefined
  readonly skills: readonly Declaration[]
}

interface Content {
  readonly code: string
  readonly plugins: Readonly<Record<string, Remembered>>
}

/** The cache file in a published package for its own plugins, which the build has checked. */
export const shippedFile = 'plugins.checked.json'

/** The folder of a checkout for generated files. */
const buildFolder = '.build'

/**
 * Opens the caches of checked plugins. A cache is empty if its file is missing, damaged or from another
 * version of Tocsin. Tocsin's own plugins are cached next to its code: by the package build, or on the first
 * start of a checkout. All others are cached in the given file.
 *
 * @param path file for plugins from elsewhere; default: they are not cached
 * @param root of the code that reads the plugins; default: this one
 */
export function openCheckedPlugins(path: string | undefined, root = ownRoot): CheckedPlugins {
  const code = codeHash(root)
  const isCheckout = root === ownRoot && import.meta.filename.endsWith('.ts')
  const ownPath = join(root, isCheckout ? buildFolder : '', shippedFile)
  const knownOwn = new Map(Object.entries(readContent(ownPath, code)))
  const known = new Map(path === undefined ? [] : Object.entries(readContent(path, code)))
  const usedOwn = new Map<string, Remembered>()
  const used = new Map<string, Remembered>()
  let hasNewOwn = false
  let hasNew = false
  // Never writes to an installed package: the build has already cached its plugins.
  const isOwn = (file: string) =>
    (isCheckout || root !== ownRoot) && file.startsWith(join(root, 'plugins') + sep)
  return {
    find(key, compile) {
      const own = knownOwn.get(key)
      const remembered = own ?? known.get(key)
      if (remembered === undefined) return undefined
      ;(own === undefined ? used : usedOwn).set(key, remembered)
      return lazyPlugin(remembered, compile)
    },
    add(key, plugin, file) {
      if (isOwn(file)) hasNewOwn = true
      else hasNew = true
      ;(isOwn(file) ? usedOwn : used).set(key, rememberedOf(plugin))
    },
    save() {
      if (hasNewOwn) {
        if (!writeContent(ownPath, code, usedOwn)) {
          for (const [key, remembered] of usedOwn) used.set(key, remembered)
          hasNew = true
        }
      }
      if (path !== undefined && (hasNew || used.size !== known.size)) writeContent(path, code, used)
    },
  }
}

/** The cache key of a source; it changes with everything that affects the check. */
export const hashOf = (parts: readonly (string | Uint8Array)[]): string => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(`${part.length}:`).update(part)
  return hash.digest('base64url')
}

const ownRoot = join(import.meta.dirname, '../..')

/**
 * The version, and the sizes of the files that read plugins. In a checkout, their modification times count
 * too, because developers edit these files without a version change.
 */
function codeHash(root: string): string {
  const core = join(root, 'core')
  const files = ['declarative', 'expression', 'playbook', 'schema'].flatMap((folder) =>
    readdirSync(join(core, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.[jt]s$/.test(name) && !name.endsWith('.d.ts'))
      .toSorted()
      .map((name) => {
        const { mtimeMs, size } = statSync(join(core, folder, name))
        return `${name} ${name.endsWith('.ts') ? mtimeMs : ''} ${size}`
      }),
  )
  return hashOf([readFileSync(join(root, 'package.json')), ...files])
}

/** Whether it could be written. Without the file, the plugins are checked again. */
function writeContent(path: string, code: string, plugins: ReadonlyMap<string, Remembered>): boolean {
  const content: Content = { code, plugins: Object.fromEntries(plugins) }
  try {
    const temporary = `${path}.${process.pid}`
    if (basename(dirname(path)) === buildFolder) mkdirSync(dirname(path), { recursive: true })
    writeFileSync(temporary, JSON.stringify(content), { mode: 0o600 })
    renameSync(temporary, path)
    return true
  } catch {
    return false
  }
}

function readContent(path: string, code: string): Content['plugins'] {
  try {
    const content = JSON.parse(readFileSync(path, 'utf8')) as Content
    return content.code === code ? content.plugins : {}
  } catch {
    return {}
  }
}

/** Stored separately (connection and skills), or compiled on demand (examples). */
const apart = new Set(['connection', 'skills', 'examples'])

function declarationOf(object: object): Declaration {
  const entries = Object.entries(object).filter(([name]) => !apart.has(name))
  const functions = entries.filter(([, value]) => typeof value === 'function').map(([name]) => name)
  const groups = entries.filter(([, value]) => isGroup(value))
  const others = new Set([...functions, ...groups.map(([name]) => name)])
  return {
    data: Object.fromEntries(entries.filter(([name]) => !others.has(name))),
    functions,
    groups: Object.fromEntries(groups.map(([name, group]) => [name, declarationOf(group as object)])),
  }
}

const isGroup = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.values(value).some((each) => typeof each === 'function' || isGroup(each))

const rememberedOf = (plugin: PluginDefinition): Remembered => ({
  plugin: declarationOf(plugin),
  connection: plugin.connection && declarationOf(plugin.connection),
  skills: plugin.skills.map(declarationOf),
})

function lazyPlugin(
  { plugin, connection, skills }: Remembered,
  compile: () => PluginDefinition,
): PluginDefinition {
  let compiled: PluginDefinition | undefined
  const whole = () => (compiled ??= compile())
  const lazyConnection =
    connection && (lazyObject(connection, () => whole().connection!) as unknown as AnyConnection)
  const withConnection = lazyConnection === undefined ? {} : { connection: lazyConnection }
  return {
    ...(plugin.data as unknown as PluginDefinition),
    ...withConnection,
    skills: skills.map((skill, at) =>
      Object.defineProperty(
        { ...lazyObject(skill, () => whole().skills[at]!), ...withConnection },
        'examples',
        {
          get: () => whole().skills[at]!.examples,
          enumerable: true,
        },
      ),
    ) as unknown as readonly AnySkill[],
  }
}

type Functions = Readonly<Record<string, (...given: readonly unknown[]) => unknown>>

/** The object with functions that call those of the compiled plugin. */
const lazyObject = ({ data, functions, groups }: Declaration, compiled: () => object): object => ({
  ...data,
  ...lazyFunctions(functions, compiled),
  ...Object.fromEntries(
    Object.entries(groups).map(([group, inner]) => [
      group,
      lazyObject(inner, () => (compiled() as Readonly<Record<string, object>>)[group]!),
    ]),
  ),
})

const lazyFunctions = (names: readonly string[], compiled: () => object): Functions =>
  Object.fromEntries(
    names.map((name) => [name, (...given: readonly unknown[]) => (compiled() as Functions)[name]!(...given)]),
  )
