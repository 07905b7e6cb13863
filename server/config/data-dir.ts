import { chmodSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ForbiddenError } from '../../core/errors/errors.ts'

/** Files of Tocsin; some file systems create `lost+found`. */
const ours = /^(tocsin\.|master\.key|lost\+found$)/

/** Permissions of the group and of others. */
const foreignRights = 0o077

/**
 * Creates the data directory if needed, and removes the permissions of other users from it and from its
 * database. Leaves a folder that also contains foreign files, such as /tmp, unchanged.
 *
 * @throws ForbiddenError `data_dir_exposed`
 */
export function makeDataDirPrivate(dataDir: string): void {
  if (process.platform === 'win32') return
  makeFolder(dataDir)
  if (isExposed(dataDir)) {
    const foreign = readdirSync(dataDir).find((name) => !ours.test(name))
    if (foreign !== undefined)
      throw exposed(dataDir, `and contains '${foreign.slice(0, 64)}', which is not a file of Tocsin`)
    tighten(dataDir, 0o700)
  }
  // An exposed master.key is refused, not fixed (`loadMasterKey`): it may have been read.
  const databases = readdirSync(dataDir).filter((name) => name.startsWith('tocsin.'))
  for (const path of databases.map((name) => join(dataDir, name))) if (isExposed(path)) tighten(path, 0o600)
}

/**
 * Creates a folder and its parents. Node's recursive mkdir never returns in places like /proc, and hides that
 * a file system is read-only.
 *
 * @throws the error of the file system
 */
function makeFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST' && statSync(path).isDirectory()) return
    const parent = dirname(path)
    if (code !== 'ENOENT' || parent === path || existsSync(parent)) throw error
    makeFolder(parent)
    mkdirSync(path, { mode: 0o700 })
  }
}

/** False also for a file that was just deleted, such as the write-ahead log of an ending process. */
function isExposed(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats !== undefined && (stats.mode & foreignRights) !== 0
}

function tighten(path: string, mode: number): void {
  try {
    chmodSync(path, mode)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return
    throw exposed(path, `and this user cannot change that (${code ?? 'no code'})`)
  }
}

function exposed(path: string, why: string): ForbiddenError {
  const mode = ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o777).toString(8)
  return new ForbiddenError('data_dir_exposed', `${path} is open to other users (mode ${mode}), ${why}`, {
    hint: 'set TOCSIN_DATA_DIR to a folder that does not exist, which Tocsin creates with mode 700, or remove the permissions with chmod',
  })
}
