import { accessSync, constants, existsSync, readdirSync, statSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { ok, problem, problemOf, warning, type Finding } from './finding.ts'
import type { Config } from '../config/config.ts'
import { findMasterKey } from '../store/find-master-key.ts'
import { createSecretBox } from '../secrets/secret-box.ts'
import { asOpeningError } from '../sqlite/file/opening-errors.ts'
import { opensDatabase } from '../sqlite/file/master-key-check.ts'

const foreignRights = 0o077

/** Whether the data directory exists, is writable, and private to its owner. Changes nothing. */
export function checkDataDir(dataDir: string): Finding {
  const check = 'data directory'
  const found = statSync(dataDir, { throwIfNoEntry: false })
  if (found === undefined)
    return warning(
      check,
      `${dataDir} does not exist`,
      'the first start creates it; if Tocsin has run before, set TOCSIN_DATA_DIR to the folder used before',
    )
  if (!found.isDirectory())
    return problem(check, `${dataDir} is not a folder`, 'set TOCSIN_DATA_DIR to a folder')
  try {
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch {
    return problem(
      check,
      `this user has no write access to ${dataDir}`,
      `chown it to the user who runs Tocsin`,
    )
  }
  const exposed = exposedIn(dataDir)
  if (exposed.length > 0) {
    return warning(
      check,
      `${exposed.join(', ')} can be read by other users`,
      `chmod 700 '${dataDir}' and chmod 600 the files in it`,
    )
  }
  return ok(check, `${dataDir} is writable and private to its owner`)
}

/** Without the master key, which `checkMasterKey` checks. */
function exposedIn(dataDir: string): readonly string[] {
  if (process.platform === 'win32') return []
  const paths = [
    dataDir,
    ...readdirSync(dataDir)
      .filter((name) => name.startsWith('tocsin.'))
      .map((name) => join(dataDir, name)),
  ]
  return paths.filter(
    (path) => ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & foreignRights) !== 0,
  )
}

/** Limits in bytes for a problem and a warning. */
const tooLittle = 104_857_600
const little = 1_073_741_824

/** Space for new data, and for the copy of the database that migrations and backups create, if it is there. */
export async function checkDiskSpace(dataDir: string, hasDatabase = true): Promise<Finding> {
  const check = 'disk space'
  const folder = existsSync(dataDir) ? dataDir : '.'
  try {
    const { bavail, bsize } = await statfs(folder)
    const free = bavail * bsize
    const database = statSync(join(dataDir, 'tocsin.db'), { throwIfNoEntry: false })?.size ?? 0
    const disk = `${inWords(free)} free on the disk of the data directory`
    const says = hasDatabase ? `${disk}; the database has ${inWords(database)}` : disk
    const hint = 'free space on that disk, or move the data directory to a larger one'
    if (free < tooLittle) return problem(check, says, hint)
    return free < Math.max(little, database) ? warning(check, says, hint) : ok(check, says)
  } catch (error) {
    return problemOf(check, error, 'check the disk and the system log')
  }
}

const inWords = (bytes: number): string =>
  bytes >= 1_073_741_824 ? `${(bytes / 1_073_741_824).toFixed(1)} GB` : `${Math.ceil(bytes / 1_048_576)} MB`

/** Whether a master key exists, opens the stored secrets, and is private to its owner. */
export function checkMasterKey(config: Config): Finding {
  const { dataDir, masterKey } = config
  const check = 'master key'
  const database = join(dataDir, 'tocsin.db')
  const path = join(dataDir, 'master.key')
  const place = masterKey === undefined ? path : 'TOCSIN_MASTER_KEY'
  if (masterKey === undefined && !existsSync(path) && !existsSync(database))
    return ok(check, 'none yet; the first start creates it')
  try {
    if (!opensDatabase(database, createSecretBox(findMasterKey(config)))) {
      return problem(
        check,
        `${place} is not the key of this database`,
        'replace it with the copy of the right key',
      )
    }
  } catch (error) {
    return problemOf(check, asOpeningError(path, error), 'replace it with a copy of the key')
  }
  const { uid } = statSync(path, { throwIfNoEntry: false }) ?? { uid: undefined }
  const isForeign = masterKey === undefined && process.getuid !== undefined && uid !== process.getuid()
  return isForeign
    ? problem(check, `${path} belongs to another user (${uid})`, 'chown it to the user who runs Tocsin')
    : ok(check, `${place} opens the stored secrets; keep a copy of it apart from the backups`)
}
