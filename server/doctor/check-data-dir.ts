import { accessSync, constants, existsSync, readdirSync, statSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { ok, problem, problemOf, warning, type Finding } from './finding.ts'

const foreignRights = 0o077

/** Whether the data directory is there, writable, and for its owner only. Nothing is changed. */
export function checkDataDir(dataDir: string): Finding {
  const check = 'data directory'
  const found = statSync(dataDir, { throwIfNoEntry: false })
  if (found === undefined)
    return warning(
      check,
      `${dataDir} is not there`,
      'the first start makes it; where Tocsin has run already, TOCSIN_DATA_DIR must name the folder that it ran with',
    )
  if (!found.isDirectory())
    return problem(check, `${dataDir} is not a folder`, 'let TOCSIN_DATA_DIR name a folder')
  try {
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch {
    return problem(check, `this user may not write to ${dataDir}`, `chown it to the user who runs Tocsin`)
  }
  const exposed = exposedIn(dataDir)
  if (exposed.length > 0) {
    return warning(
      check,
      `${exposed.join(', ')} can be read by other users`,
      `chmod 700 '${dataDir}' and chmod 600 the files in it`,
    )
  }
  return ok(check, `${dataDir} is there, for its owner only`)
}

/** The key has a check of its own. */
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

/** Below the first, alerts are soon refused; below the second, there is little time left. Bytes. */
const tooLittle = 104_857_600
const little = 1_073_741_824

/** Room for what comes, and for a copy of the database as a migration and a backup make one. */
export async function checkDiskSpace(dataDir: string): Promise<Finding> {
  const check = 'disk space'
  const folder = existsSync(dataDir) ? dataDir : '.'
  try {
    const { bavail, bsize } = await statfs(folder)
    const free = bavail * bsize
    const database = statSync(join(dataDir, 'tocsin.db'), { throwIfNoEntry: false })?.size ?? 0
    const says = `${inWords(free)} free where the data directory is, the database has ${inWords(database)}`
    const hint = 'free space on that disk, or move the data directory to a larger one'
    if (free < tooLittle) return problem(check, says, hint)
    return free < Math.max(little, database) ? warning(check, says, hint) : ok(check, says)
  } catch (error) {
    return problemOf(check, error, 'look at the disk and the system log')
  }
}

const inWords = (bytes: number): string =>
  bytes >= 1_073_741_824 ? `${(bytes / 1_073_741_824).toFixed(1)} GB` : `${Math.ceil(bytes / 1_048_576)} MB`
