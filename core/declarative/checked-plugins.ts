import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
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
  add(key: string, plugin: PluginDefinition): void
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

/**
 * Opens the file of checked plugins; it is empty if it is missing, damaged or of another version of Tocsin.
 *
 * @param root of the code that reads the plugins; default: this one
 */
export function openCheckedPlugins(path: string, root = ownRoot): CheckedPlugins {
  const code = codeHash(root)
  const shipped = readContent(join(root, shippedFile), code)
  const known = new Map(Object.entries(readContent(path, code)))
  const used = new Map<string, Remembered>()
  let isChanged = false
  return {
    find(key, compile) {
      if (Object.hasOwn(shipped, key)) return lazyPlugin(shipped[key]!, compile)
      const remembered = known.get(key)
      if (remembered === undefined) return undefined
      used.set(key, remembered)
      return lazyPlugin(remembered, compile)
    },
    add(key, plugin) {
      isChanged = true
      used.set(key, rememberedOf(plugin))
    },
    save() {
      if (!isChanged && used.size === known.size) return
      const content: Content = { code, plugins: Object.fromEntries(used) }
      try {
        const temporary = `${path}.${process.pid}`
        writeFileSync(temporary, JSON.stringify(content), { mode: 0o600 })
        renameSync(temporary, path)
      } catch {
        // Without the file, the plugins are checked again.
      }
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
