import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { AuditVerdict } from '../../core/audit/audit-chain.ts'
import { examineDatabase } from '../sqlite/file/examine-database.ts'
import { asOpeningError } from '../sqlite/file/opening-errors.ts'
import { checkDisk } from '../sqlite/database/storage-errors.ts'
import { ok, problem, problemOf, warning, type Finding } from './finding.ts'

/** The key is made in the same start as the database. */
const noDatabase = (dataDir: string): Finding =>
  existsSync(join(dataDir, 'master.key'))
    ? warning(
        'database',
        `there is a master key in ${dataDir}, and no database`,
        'where there was one, restore a backup: tocsin restore; else the next start makes it',
      )
    : ok('database', 'there is none yet; the first start makes it')

/** Clocks of machines differ by less. */
const toleratedMs = 60_000

/** The database and what is in it: whole, of this version, with an audit log that is whole, and not from the future. */
export function checkDatabase(dataDir: string, now: number): readonly Finding[] {
  const path = join(dataDir, 'tocsin.db')
  const size = sizeOf(path)
  if (size === undefined) return [noDatabase(dataDir), clock(undefined, now)]
  if (typeof size !== 'number') return [size]
  if (size === 0)
    return [
      problem(
        'database',
        `${path} is empty: what was in it is gone`,
        'stop Tocsin and restore a backup: tocsin restore',
      ),
    ]
  try {
    const { damage, version, known, audit, newestAt } = examineDatabase(path)
    return [
      damage === null
        ? versionOf(version, known)
        : problem(
            'database',
            `${path} is damaged: ${damage}`,
            'stop Tocsin and restore a backup: tocsin restore',
          ),
      auditLog(audit),
      clock(newestAt, now),
    ]
  } catch (error) {
    return [problemOf('database', error, checkDisk)]
  }
}

/** Undefined: there is no file. */
function sizeOf(path: string): number | Finding | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })?.size
  } catch (error) {
    return problemOf('database', asOpeningError(path, error), checkDisk)
  }
}

const tampered = 'somebody has changed the database: compare it with a backup, and see who could'

function auditLog(audit: AuditVerdict | null): Finding {
  const check = 'audit log'
  if (audit?.broken) {
    const { sequence, reason } = audit.broken
    return problem(check, `it is broken at entry ${sequence}: ${reason}`, tampered)
  }
  const unguarded = audit?.unguarded ?? []
  if (unguarded.length > 0)
    return problem(
      check,
      `triggers that keep its entries from being changed are missing or changed: ${unguarded.join(', ')}`,
      tampered,
    )
  return ok(check, `${audit?.entries ?? 0} entries, each as it was recorded`)
}

function versionOf(version: number, known: number): Finding {
  if (version > known)
    return problem(
      'database',
      `it was made by a newer Tocsin (version ${version}, this one knows ${known})`,
      'start the newer Tocsin, or restore the backup made before the upgrade',
    )
  if (version < known)
    return warning(
      'database',
      `it is whole, of version ${version}; the next start brings it to ${known}`,
      'make a backup before: tocsin backup',
    )
  return ok('database', `it is whole, of version ${version}`)
}

function clock(newestAt: number | undefined, now: number): Finding {
  const aheadMs = (newestAt ?? 0) - now
  return aheadMs > toleratedMs
    ? problem(
        'clock',
        `this machine's clock says ${new Date(now).toISOString()}, and there is an entry from ${new Date(newestAt ?? 0).toISOString()}`,
        'set the clock, and have it kept by NTP: timers, tokens and signatures depend on it',
      )
    : ok('clock', `${new Date(now).toISOString()}, later than all that is stored`)
}
