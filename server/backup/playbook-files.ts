import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { isReservedOnWindows } from '../../core/common/reserved-names.ts'
import type { BackupEntry } from '../sqlite/file/backup-file.ts'

/** Larger files are not playbooks. */
const maxBytes = 4_194_304

/** Playbooks and tests with their data: YAML and JSON files, without hidden ones. Empty without the folder. */
export async function readPlaybookFiles(folder: string): Promise<readonly BackupEntry[]> {
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

/** Accepts only plain names below the folder, because a backup may come from anybody. */
const namePattern = /^(?!.*(?:^|\/)\.)[^\\\0:]{1,500}\.(?:ya?ml|json)$/

export interface RestoredPlaybooks {
  readonly written: number
  /** Files that exist with other content, and are not changed. */
  readonly kept: readonly string[]
  /** Files that could not be read or written. */
  readonly aside: readonly { readonly name: string; readonly reason: string }[]
}

/** Writes missing files. The folder may belong to another user, so files that cannot be written there go into another folder. */
export async function restorePlaybookFiles(
  folder: string,
  files: readonly BackupEntry[],
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
