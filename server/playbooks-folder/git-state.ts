import { readFile, realpath, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { FolderState } from '../../core/publishing/playbook-files.ts'

/** A lock file that is older was left by a git process that crashed. */
const maxLockMs = 10 * 60_000

/**
 * The state of the repository that holds the folder, from its files: running git would run what the repository configures.
 */
export async function gitState(folder: string): Promise<Pick<FolderState, 'isBusy' | 'revision'>> {
  const gitFolder = await findGitFolder(folder)
  if (gitFolder === undefined) return { isBusy: false, revision: null }
  const lock = await stat(join(gitFolder, 'index.lock')).catch(() => undefined)
  const isBusy = lock !== undefined && Date.now() - lock.mtimeMs < maxLockMs
  return { isBusy, revision: await headOf(gitFolder) }
}

/** `.git` is a file in a worktree and in a submodule. */
async function findGitFolder(folder: string): Promise<string | undefined> {
  // A link to a folder of a checkout, as `git-sync` makes, counts as that folder.
  let at = await realpath(folder).catch(() => undefined)
  while (at !== undefined) {
    const path = join(at, '.git')
    const info = await stat(path).catch(() => undefined)
    if (info?.isDirectory() === true) return path
    const pointer = info?.isFile() === true ? await textOf(path) : undefined
    const target = pointer === undefined ? undefined : /^gitdir: (.+)$/m.exec(pointer)?.[1]
    if (target !== undefined) return resolve(at, target)
    at = dirname(at) === at ? undefined : dirname(at)
  }
  return undefined
}

async function headOf(gitFolder: string): Promise<string | null> {
  const head = (await textOf(join(gitFolder, 'HEAD')))?.trim() ?? ''
  const ref = /^ref: (refs\/[^\0]+)$/.exec(head)?.[1]
  if (ref === undefined || ref.split('/').includes('..')) return commitIn(head)
  // Worktrees share the branches of their repository.
  const common = (await textOf(join(gitFolder, 'commondir')))?.trim()
  const shared = common === undefined ? gitFolder : resolve(gitFolder, common)
  const loose = commitIn((await textOf(join(shared, ref)))?.trim() ?? '')
  if (loose !== null) return loose
  const packed = (await textOf(join(shared, 'packed-refs')))?.split('\n') ?? []
  const line = packed.find((each) => each.endsWith(` ${ref}`))
  return commitIn(line?.split(' ')[0] ?? '')
}

const commitIn = (text: string): string | null => (/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text) ? text : null)

const textOf = (path: string): Promise<string | undefined> => readFile(path, 'utf8').catch(() => undefined)
