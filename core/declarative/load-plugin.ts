import { lstatSync, readFileSync, realpathSync, statSync, type Stats } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import type { PluginDefinition } from '../plugin/index.ts'
import type { Problem } from '../playbook/language/problem.ts'
import { hashOf, type CheckedPlugins } from './checked-plugins.ts'
import { compilePlugin } from './compile/compile-plugin.ts'
import type { DeclaredPlugin } from './language/declared.ts'
import type { PluginFiles } from './read-examples.ts'
import { readPlugin } from './read/read-plugin.ts'

/** The name of the file of a declarative plugin. */
export const pluginFile = 'plugin.yaml'

/** Whether a `plugin.yaml` is below a folder `plugins`, where plugins have the names of their folders. */
export const isInPluginsFolder = (path: string): boolean => basename(resolve(path, '../..')) === 'plugins'

export interface LoadedPlugin {
  /** Undefined exactly if one of the problems is an error. */
  readonly definition: PluginDefinition | undefined
  readonly declared: DeclaredPlugin | undefined
  readonly problems: readonly Problem[]
  /** The text of the file, to show problems in. */
  readonly source: string
}

export interface LoadPluginOptions {
  /** Path of the `plugin.yaml`. */
  readonly path: string
  /** Shown with the problems. Default: the path. */
  readonly file?: string
  /** Whether the plugin must have the name of its folder. Default false. */
  readonly isNamedAfterFolder?: boolean
  /** Whether to compile schemas too, which is slow. Default true. */
  readonly isThorough?: boolean
}

/**
 * Reads, checks and compiles a `plugin.yaml` with its examples. Reads no file outside of its folder.
 *
 * @throws Error of the file system if `plugin.yaml` cannot be read
 */
export const loadPlugin = (options: LoadPluginOptions): LoadedPlugin =>
  loadSource(readSource(options.path), options)

/**
 * Like {@link loadPlugin}, but does not read the YAML of a plugin that was checked before until the plugin is used.
 *
 * @throws Error of the file system if `plugin.yaml` cannot be read
 */
export function loadOnce(
  options: LoadPluginOptions,
  checked: CheckedPlugins | undefined,
): Pick<LoadedPlugin, 'definition' | 'problems'> {
  if (checked === undefined) return loadPlugin(options)
  const source = readSource(options.path)
  const { path, isNamedAfterFolder, isThorough } = options
  const folder = isNamedAfterFolder === true ? basename(dirname(path)) : ''
  const key = hashOf([source, folder, String(isThorough)])
  const known = checked.find(key, () => loadSource(source, { ...options, isThorough: false }).definition!)
  if (known !== undefined) return { definition: known, problems: [] }
  const loaded = loadSource(source, options)
  if (loaded.definition !== undefined) checked.add(key, loaded.definition)
  return loaded
}

function loadSource(
  source: Buffer,
  { path, file = path, isNamedAfterFolder = false, isThorough = true }: LoadPluginOptions,
): LoadedPlugin {
  const folder = dirname(path)
  const { plugin, problems } = readPlugin(source, {
    file,
    files: pluginFilesIn(folder),
    folder: isNamedAfterFolder ? basename(folder) : undefined,
    isThorough,
  })
  return {
    definition: plugin && compilePlugin(plugin),
    declared: plugin,
    problems,
    source: source.toString(),
  }
}

/** Far more than the reader accepts. */
const maxSourceBytes = 10_485_760

/** Never waits for a pipe, and never reads a device. */
function readSource(path: string): Buffer {
  const { size } = regularFile(path)
  if (size > maxSourceBytes) throw new Error(`${path} has ${size} bytes; at most ${maxSourceBytes} are read`)
  return readFileSync(path)
}

function regularFile(path: string): Stats {
  const stats = statSync(path)
  if (!stats.isFile()) throw new Error(`${path} is not a file`)
  return stats
}

/** Largest example file, in bytes. */
const maxExampleBytes = 1_048_576
/** Maximum number of files of a plugin. */
const maxFiles = 200

/** The files below the folder of a plugin, without links to files outside of it. */
export function pluginFilesIn(folder: string): PluginFiles {
  let count = 0
  return {
    read(path) {
      if (isAbsolute(path) || path.split(/[/\\]/).includes('..'))
        return { refused: 'is outside of the folder of the plugin' }
      if (++count > maxFiles) return { refused: `exceeds the limit of ${maxFiles} files` }
      try {
        const root = realpathSync(folder)
        const real = realpathSync(join(folder, path))
        const inside = relative(root, real)
        if (inside.startsWith(`..${sep}`) || isAbsolute(inside))
          return { refused: 'is a link to a place outside of the folder of the plugin' }
        const { size } = lstatSync(real)
        if (!lstatSync(real).isFile()) return { refused: 'is not a file' }
        if (size > maxExampleBytes)
          return { refused: `has ${size} bytes; at most ${maxExampleBytes} are allowed` }
        return { text: readFileSync(real, 'utf8') }
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException
        return { refused: code === 'ENOENT' ? 'does not exist' : `cannot be read: ${code}` }
      }
    },
  }
}
