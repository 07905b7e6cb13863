import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { AuditVerdict } from '../../core/audit/audit-chain.ts'
import { examineDatabase } from '../sqlite/file/examine-database.ts'
import { refuseMarked } from '../sqlite/file/migration-file.ts'
import { asOpeningError } from '../sqlite/file/opening-errors.ts'
import { checkDisk } from '../sqlite/database/storage-errors.ts'
import { ok, problem, problemOf, warning, type Finding } from './finding.ts'

/** A first start creates the key together with the database. */
const noDatabase = (dataDir: string): Finding =>
  existsSync(join(dataDir, 'master.key'))
    ? warning(
        'database',
        `${dataDir} has a master key, but no database`,
        'if there was a database, restore a backup: tocsin restore; otherwise the next start creates one',
      )
    : ok('database', 'none yet; the first start creates it')

/** Tolerated difference between clocks. */
const toleratedMs = 60_000

/**
 * Whether the database is undamaged, of this version, with an unbroken audit log, and not from the future.
 */
export function checkDatabase(dataDir: string, now: number): readonly Finding[] {
  const path = join(dataDir, 'tocsin.db')
  const size = sizeOf(path)
  if (size === undefined) return [noDatabase(dataDir), checkClock(undefined, now)]
  if (typeof size !== 'number') return [size]
  if (size === 0)
    return [
      problem(
        'database',
        `${path} is empty: its content is lost`,
        'stop Tocsin and restore a backup: tocsin restore',
      ),
    ]
  try {
    refuseMarked(path)
    const { damage, version, known, audit, newestAt } = examineDatabase(path)
    return [
      damage === null
        ? checkVersion(version, known, { state: 'undamaged', backUp: 'tocsin backup' })
        : problem(
            'database',
            `${path} is damaged: ${damage}`,
            'stop Tocsin and restore a backup: tocsin restore',
          ),
      checkAuditLog(audit),
      checkClock(newestAt, now),
    ]
  } catch (error) {
    return [problemOf('database', error, checkDisk)]
  }
}

/** Undefined: the file does not exist. */
function sizeOf(path: string): number | Finding | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })?.size
  } catch (error) {
    return problemOf('database', asOpeningError(path, error), checkDisk)
  }
}

const tampered = 'someone changed the database: compare it with a backup, and find out who had access'

export function checkAuditLog(audit: AuditVerdict | null): Finding {
  const check = 'audit log'
  if (audit?.broken) {
    const { sequence, reason } = audit.broken
    return problem(check, `broken at entry ${sequence}: ${reason}`, tampered)
  }
  const unguarded = audit?.unguarded ?? []
  if (unguarded.length > 0)
    return problem(
      check,
      `triggers that protect its entries are missing or changed: ${unguarded.join(', ')}`,
      tampered,
    )
  return ok(check, `${audit?.entries ?? 0} entries, all unchanged`)
}

/** Whether this program supports the version of the tables. `state` is what is known of the database otherwise. */
export function checkVersion(
  version: number,
  known: number,
  { state, backUp }: { readonly state: string; readonly backUp: string },
): Finding {
  if (version > known)
    return problem(
      'database',
      `created by a newer Tocsin (version ${version}, this one supports ${known})`,
      'start the newer Tocsin, or restore the backup made before the upgrade',
    )
  if (version < known)
    return warning(
      'database',
      `${state}, version ${version}; the next start upgrades it to ${known}`,
      `create a backup first: ${backUp}`,
    )
  return ok('database', `${state}, version ${version}`)
}

export function checkClock(newestAt: number | undefined, now: number): Finding {
  const aheadMs = (newestAt ?? 0) - now
  return aheadMs > toleratedMs
    ? problem(
        'clock',
        `the clock of this machine is at ${new Date(now).toISOString()}, before the newest entry of ${new Date(newestAt ?? 0).toISOString()}`,
        'set the clock and synchronize it by NTP: timers, tokens and signatures depend on it',
      )
    : ok('clock', `${new Date(now).toISOString()}, after all stored entries`)
}
