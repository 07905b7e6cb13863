import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { ConflictError } from '../../core/errors/errors.ts'
import type { PluginPlace } from './place-of.ts'
import type { PluginName } from './plugin-name.ts'

export interface NewPlugin extends PluginPlace {
  readonly name: PluginName
  /** `plain` and `connected` are in TypeScript, the latter with a connection to another system. */
  readonly template: 'plain' | 'connected' | 'yaml'
  /** The folder of this Tocsin. */
  readonly root: string
}

const templates = join(import.meta.dirname, 'templates')

/**
 * Writes the files of a new plugin; overwrites nothing.
 *
 * @returns the folder, and the paths in it
 * @throws ConflictError `folder_exists`
 */
export async function makePlugin(
  plugin: NewPlugin,
): Promise<{ readonly folder: string; readonly files: readonly string[] }> {
  const folder = join(plugin.parent, plugin.name.folder)
  if (existsSync(folder))
    throw new ConflictError('folder_exists', `${folder} already exists`, {
      hint: 'choose another name, or remove it first',
    })
  const files = filesOf(plugin)
  for (const { path, text } of files) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text, { flag: 'wx' })
  }
  return { folder, files: files.map(({ path }) => path) }
}

function filesOf({ name, template, isPackage, parent, root }: NewPlugin): readonly NewFile[] {
  const isYaml = template === 'yaml'
  const own = readFolder(join(templates, template, 'example-plugin'))
  const files = isPackage
    ? [...own, ...readFolder(join(templates, isYaml ? 'yaml-package' : 'package'))]
    : own
  const schema = `${isPackage ? './node_modules/tocsin' : '../..'}/schemas/plugin.schema.json`
  return files.map(({ path, text }) => ({
    path: rename(path, name),
    text: rename(text, name)
      .replaceAll('PLUGIN_SCHEMA', schema)
      .replaceAll('TOCSIN_FOLDER', relative(join(parent, name.folder), root).replaceAll('\\', '/')),
  }))
}

interface NewFile {
  readonly path: string
  readonly text: string
}

function readFolder(folder: string): readonly NewFile[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return paths.toSorted().map((path) => ({
    path: relative(folder, path),
    text: readFileSync(path, 'utf8'),
  }))
}

const rename = (text: string, { name, folder, title }: PluginName): string =>
  text
    .replaceAll('example_plugin', name)
    .replaceAll('example-plugin', folder)
    .replaceAll('Example Plugin', title)
