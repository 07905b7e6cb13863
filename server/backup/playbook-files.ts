import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import type { KeptFile } from '../sqlite/backup-file.ts'

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

/** Writes those that are not there; gives the names of those that are there with other content, which stay as they are. */
export async function restorePlaybookFiles(
  folder: string,
  files: readonly KeptFile[],
): Promise<{ readonly written: number; readonly kept: readonly string[] }> {
  const kept: string[] = []
  let written = 0
  for (const { name, content } of files) {
    if (!namePattern.test(name) || name.startsWith('/')) continue
    const path = join(folder, name)
    const there = existsSync(path) ? await readFile(path) : undefined
    if (there !== undefined) {
      if (!there.equals(content)) kept.push(name)
      continue
    }
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content, { flag: 'wx' })
    written++
  }
  return { written, kept }
}
