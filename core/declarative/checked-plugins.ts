import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, sep } from 'node:path'
import type { AnySkill, ConnectionDefinition, PluginDefinition } from '../plugin/index.ts'

/**
 * Remembers the declarations of plugins that were checked before, so that starting again does not read their YAML: what a plugin does
 * is compiled when it is first used.
 */
export interface CheckedPlugins {
  /**
   * The plugin of a source that was checked before; undefined if it was not.
   *
   * @param compile reads and compiles the source, when the plugin is first used
   */
  find(key: string, compile: () => PluginDefinition): PluginDefinition | undefined
  /** @param path of the `plugin.yaml` */
  add(key: string, plugin: PluginDefinition, path: string): void
  /** Writes what was added, and forgets what was not used. A file that cannot be written changes nothing. */
  save(): void
}

type AnyConnection = ConnectionDefinition<never>

/** An object of a declaration without its functions, and their names. */
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

/** The file in a published package that remembers its own plugins, which its build has checked. */
export const shippedFile = 'plugins.checked.json'

/** The folder of a checkout for everything that can be built again. */
const buildFolder = '.build'

/**
 * Opens the files of checked plugins; each is empty if it is missing, damaged or of another version of Tocsin. Tocsin's own plugins are
 * remembered beside its code: by the build of a package, or by the first start of a checkout. All others are in the given file.
 *
 * @param path file for plugins from elsewhere; default: they are not remembered
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
  // An installed package is not written to: its build has put its plugins there.
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

/** The key of a source; a change of anything that a check depends on changes it. */
export const hashOf = (parts: readonly (string | Uint8Array)[]): string => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(`${part.length}:`).update(part)
  return hash.digest('base64url')
}

const ownRoot = join(import.meta.dirname, '../..')

/**
 * The version, and the sizes of the code that reads plugins. A developer changes that code without another version: then the times of
 * the sources count too, which installing a package does not preserve.
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

/** The object with functions that call those of the compiled one. */
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
