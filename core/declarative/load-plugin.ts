import { lstatSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { NotFoundError } from '../errors/errors.ts'
import type { PluginDefinition } from '../plugin/index.ts'
import type { Problem } from '../playbook/language/problem.ts'
import { hashOf, type CheckedPlugins } from './checked-plugins.ts'
import { compilePlugin } from './compile/compile-plugin.ts'
import type { DeclaredPlugin } from './language/declared.ts'
import type { PluginFiles } from './read-examples.ts'
import { maxPluginBytes, readPlugin, refuseSize } from './read/read-plugin.ts'

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
 * @throws NotFoundError `file_not_found` if `plugin.yaml` is no regular file; Error of the file system
 */
export const loadPlugin = (options: LoadPluginOptions): LoadedPlugin =>
  loadSource(readSource(options.path), options)

/**
 * Like {@link loadPlugin}, but does not read the YAML of a plugin that was checked before until the plugin is used.
 *
 * @throws NotFoundError `file_not_found` if `plugin.yaml` is no regular file; Error of the file system
 */
export function loadOnce(
  options: LoadPluginOptions,
  checked: CheckedPlugins,
): Pick<LoadedPlugin, 'definition' | 'problems'> {
  const source = readSource(options.path)
  if (typeof source === 'number') return loadSource(source, options)
  const { path, isNamedAfterFolder, isThorough } = options
  const folder = isNamedAfterFolder === true ? basename(dirname(path)) : ''
  const key = hashOf([source, folder, String(isThorough)])
  const known = checked.find(key, () => loadSource(source, { ...options, isThorough: false }).definition!)
  if (known !== undefined) return { definition: known, problems: [] }
  const loaded = loadSource(source, options)
  if (loaded.definition !== undefined) checked.add(key, loaded.definition, resolve(path))
  return loaded
}

function loadSource(
  source: Buffer | number,
  { path, file = path, isNamedAfterFolder = false, isThorough = true }: LoadPluginOptions,
): LoadedPlugin {
  if (typeof source === 'number')
    return { definition: undefined, declared: undefined, problems: refuseSize(source, file), source: '' }
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

/** The content, or the size if it is too large to be read. Never waits for a pipe, and never reads a device. */
function readSource(path: string): Buffer | number {
  const stats = statSync(path)
  if (!stats.isFile())
    throw new NotFoundError('file_not_found', `${path} is not a file`, {
      hint: `replace it by a regular file ${pluginFile}`,
    })
  return stats.size > maxPluginBytes ? stats.size : readFileSync(path)
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
