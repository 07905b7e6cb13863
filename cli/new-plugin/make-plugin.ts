import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { pluginFile } from '../../core/declarative/index.ts'
import { ConflictError } from '../../core/errors/errors.ts'
import type { PluginPlace } from './place-of.ts'
import type { PluginName } from './plugin-name.ts'

export interface NewPlugin extends PluginPlace {
  readonly name: PluginName
  /** `plain` and `connected` are in TypeScript, the latter with a connection to another system. */
  readonly template: 'plain' | 'connected' | 'yaml'
  /** The folder of this Tocsin installation. */
  readonly root: string
  /** Generated files, instead of those of the template. */
  readonly generated?: readonly PluginFile[]
}

/** A file by its path below the folder of the plugin. */
export interface PluginFile {
  readonly path: string
  readonly text: string
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

function filesOf({ name, template, isPackage, parent, root, generated }: NewPlugin): readonly PluginFile[] {
  const isYaml = template === 'yaml'
  const own = generated ? [] : readFolder(join(templates, template, 'example-plugin'))
  const more = isPackage ? readFolder(join(templates, isYaml ? 'yaml-package' : 'package')) : []
  const schema = `${isPackage ? './node_modules/tocsin' : '../..'}/schemas/plugin.schema.json`
  const renamed = [...own, ...more].map(({ path, text }) => ({
    path: rename(path, name),
    text: rename(text, name)
      .replaceAll('PLUGIN_SCHEMA', schema)
      .replaceAll('TOCSIN_FOLDER', relative(join(parent, name.folder), root).replaceAll('\\', '/')),
  }))
  const made = (generated ?? []).map(({ path, text }) => ({
    path,
    text: path === pluginFile ? `# yaml-language-server: $schema=${schema}\n${text}` : text,
  }))
  return [...renamed, ...made]
}

function readFolder(folder: string): readonly PluginFile[] {
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
