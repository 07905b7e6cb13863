import { chmodSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ForbiddenError } from '../../core/errors/errors.ts'

/** What Tocsin makes in its data directory; `lost+found` is what some file systems put into theirs. */
const ours = /^(tocsin\.|master\.key|lost\+found$)/

/** Rights of the group and of others. */
const foreignRights = 0o077

/**
 * Sees to it that nobody but its owner can look into the data directory, which is made where it is missing. One that others may
 * enter, and its database, are taken from them; but only where nothing else lies in it: a folder that Tocsin shares with others,
 * such as /tmp, is not its to close.
 *
 * @throws ForbiddenError `data_dir_exposed`
 */
export function makeDataDirPrivate(dataDir: string): void {
  if (process.platform === 'win32') return
  makeFolder(dataDir)
  if (isExposed(dataDir)) {
    const foreign = readdirSync(dataDir).find((name) => !ours.test(name))
    if (foreign !== undefined) throw exposed(dataDir, `and '${foreign.slice(0, 64)}' in it is not Tocsin's`)
    tighten(dataDir, 0o700)
  }
  // master.key is not tightened but refused (`loadMasterKey`): it may have been read.
  const databases = readdirSync(dataDir).filter((name) => name.startsWith('tocsin.'))
  for (const path of databases.map((name) => join(dataDir, name))) if (isExposed(path)) tighten(path, 0o600)
}

/**
 * Makes a folder and those above it. Node's own way never returns for a place like /proc, whose folders are there but hold no
 * new ones, and hides that a file system is read-only.
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

/** False also for a file that has just gone, such as the write-ahead log of a process that ends. */
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
    throw exposed(path, `and this user may not change that (${code ?? 'no code'})`)
  }
}

function exposed(path: string, why: string): ForbiddenError {
  const mode = ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o777).toString(8)
  return new ForbiddenError('data_dir_exposed', `${path} is open to other users (mode ${mode}), ${why}`, {
    hint: 'let TOCSIN_DATA_DIR name a folder that is not there yet, which is made with mode 700, or take the rights away with chmod',
  })
}
