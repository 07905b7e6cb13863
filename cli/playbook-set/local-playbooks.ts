import { readFile } from 'node:fs/promises'
import { isAbsolute, join, normalize, relative, sep } from 'node:path'
import { createTwoFilesPatch } from 'diff'
import { NotFoundError, ValidationError } from '../../core/errors/errors.ts'
import { contentHash, decode } from '../../core/playbook/language/source-text.ts'
import { findPlaybookFiles } from '../../core/playbook/read/find-files.ts'
import { nameOfSource } from '../../core/playbook/read/parse-together.ts'
import { printable } from '../output/printable.ts'

/** A playbook file on this computer. */
export interface LocalPlaybook {
  /** Path in the folder, with `/`. */
  readonly file: string
  /** Undefined: the file has no readable name. */
  readonly name: string | undefined
  readonly source: string
  readonly hash: string
}

/** A playbook of the server. */
export interface RemotePlaybook {
  readonly name: string
  readonly hash: string
  /** Path in the playbooks folder of the server. */
  readonly file: string
  readonly source: string
}

/**
 * The playbooks in a folder and its subfolders, without tests.
 *
 * @throws NotFoundError `folder_not_found`; ValidationError `file_not_text`
 */
export async function readLocal(folder: string): Promise<readonly LocalPlaybook[]> {
  const paths = await findPlaybookFiles(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error
    throw new NotFoundError('folder_not_found', `there is no folder '${printable(folder)}'`, {
      hint: 'name the folder of your playbooks, or set TOCSIN_PLAYBOOKS_DIR',
    })
  })
  return await Promise.all(
    paths.map(async (path) => {
      const file = relative(folder, path).split(sep).join('/')
      const { text, invalidAt } = decode(await readFile(path))
      if (invalidAt !== undefined)
        throw new ValidationError('file_not_text', `${printable(path)} is not UTF-8 text`, [], {
          hint: 'correct the file, or move it out of the folder',
        })
      return { file, name: nameOfSource(text), source: text, hash: contentHash(text) }
    }),
  )
}

/**
 * The path of a playbook of the server in a local folder.
 *
 * @throws ValidationError `file_outside` for a path that leads out of the folder
 */
export function pathInFolder(folder: string, file: string): string {
  const inner = normalize(file)
  const isInside =
    !isAbsolute(inner) && inner.split(/[/\\]/).every((part) => part !== '..' && !part.startsWith('.'))
  if (isInside && /\.ya?ml$/.test(inner)) return join(folder, inner)
  throw new ValidationError(
    'file_outside',
    `the server names the file '${printable(file)}', which is not a playbook in the folder`,
    [],
    { hint: 'pull into another folder, or check the server' },
  )
}

/** A playbook whose local file and published version differ. */
export interface PlaybookDifference {
  readonly name: string
  /** Path in the local folder; for a playbook that is only on the server, in the folder of the server. */
  readonly file: string
  readonly local: LocalPlaybook | undefined
  readonly remote: RemotePlaybook | undefined
}

/** Pairs local files and published playbooks by name, in the order of the files. */
export function compareSets(
  local: readonly LocalPlaybook[],
  remote: readonly RemotePlaybook[],
): readonly PlaybookDifference[] {
  const published = new Map(remote.map((each) => [each.name, each]))
  const here = new Set(local.map(({ name }) => name))
  const own = local.map((each) => {
    const name = each.name ?? each.file
    return { name, file: each.file, local: each, remote: published.get(name) }
  })
  const others = remote
    .filter(({ name }) => !here.has(name))
    .map((each) => ({ name: each.name, file: each.file, local: undefined, remote: each }))
  return [...own, ...others]
    .filter((each) => each.local?.hash !== each.remote?.hash)
    .toSorted((a, b) => (a.file < b.file ? -1 : 1))
}

/** What a push would change, as a unified diff from the server to the local file. */
export function unifiedDiff({ file, local, remote }: PlaybookDifference): string {
  const from = remote === undefined ? '/dev/null' : `server/${remote.file}`
  const to = local === undefined ? '/dev/null' : `local/${file}`
  const patch = createTwoFilesPatch(from, to, remote?.source ?? '', local?.source ?? '')
  // Without the line of equal signs that separates files in an index.
  return patch.replace(/^=+\n/, '')
}
