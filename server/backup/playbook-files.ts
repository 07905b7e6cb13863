import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { isReservedOnWindows } from '../../core/common/reserved-names.ts'
import type { KeptFile } from '../sqlite/file/backup-file.ts'

/** Longer ones are no playbooks. */
const maxBytes = 4_194_304

/** Playbooks and their tests, with what these read: the files in YAML and JSON, but for what begins with a dot. Empty without the folder. */
export async function readPlaybookFiles(folder: string): Promise<readonly KeptFile[]> {
  if (!existsSync(folder)) return []
  const entries = await readdir(folder, { withFileTypes: true, recursive: true })
  const paths = entries
    .filter((entry) => entry.isFile() && /\.(ya?ml|json)$/.test(entry.name))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((name) => !name.split('/').some((part) => part.startsWith('.')))
  const files = await Promise.all(
    paths.toSorted().map(async (name) => ({ name, content: await readFile(join(folder, name)) })),
  )
  return files.filter(({ content }) => content.length <= maxBytes)
}

/** A plain name below the folder: a backup may have been made by anybody. */
const namePattern = /^(?!.*(?:^|\/)\.)[^\\\0:]{1,500}\.(?:ya?ml|json)$/

export interface RestoredPlaybooks {
  readonly written: number
  /** There with other content, and left as they are. */
  readonly kept: readonly string[]
  /** Those that could not be read or written where they belong. */
  readonly aside: readonly { readonly name: string; readonly reason: string }[]
}

/**
 * Writes those that are not there. The folder may well belong to somebody else than who restores: what cannot be written there is put
 * into another one.
 */
export async function restorePlaybookFiles(
  folder: string,
  files: readonly KeptFile[],
  asideFolder: string,
  platform: NodeJS.Platform = process.platform,
): Promise<RestoredPlaybooks> {
  const kept: string[] = []
  const aside: { name: string; reason: string }[] = []
  let written = 0
  for (const { name, content } of files) {
    if (!namePattern.test(name) || name.startsWith('/')) continue
    const path = join(folder, name)
    if (platform === 'win32' && name.split('/').some(isReservedOnWindows)) {
      aside.push({ name, reason: 'Windows reserves this name' })
      putAside(asideFolder, name.replaceAll(/(^|\/)/g, '$1_'), content)
      continue
    }
    try {
      const there = existsSync(path) ? await readFile(path) : undefined
      if (there === undefined) {
        write(path, content)
        written++
      } else if (!there.equals(content)) kept.push(name)
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException
      aside.push({ name, reason: code ?? message })
      putAside(asideFolder, name, content)
    }
  }
  return { written, kept, aside }
}

function putAside(folder: string, name: string, content: Uint8Array): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  write(join(folder, name), content)
}

function write(path: string, content: Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content, { flag: 'wx' })
}
