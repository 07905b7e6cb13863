import type { AuditVerdict } from '../../../core/audit/audit-chain.ts'
import { done, SqliteDatabase } from '../database/sqlite-database.ts'
import { using } from './backup-file.ts'
import { judgeAudit } from '../../sql/audit/judge-audit.ts'
import { migrations } from '../migrations/all-migrations.ts'
import { cannotRead, readErrorOf } from './opening-errors.ts'

/** Facts about a database that is not changed. */
export interface ExaminedDatabase {
  /** The first defect of the file; null if there is none. */
  readonly damage: string | null
  readonly version: number
  /** Newest version that this program supports. */
  readonly known: number
  /** Null if the database has no audit log. */
  readonly audit: AuditVerdict | null
  /** Time of the newest run or audit entry, in epoch milliseconds. */
  readonly newestAt: number | undefined
}

/** Reads the whole file, beside a running server too. Throws UnavailableError if that fails. */
export function examineDatabase(path: string): ExaminedDatabase {
  const examined = examine(path)
  const cause = examined.damage === null ? undefined : readErrorOf(path)
  if (cause !== undefined) throw cannotRead(path, cause)
  return examined
}

function examine(path: string): ExaminedDatabase {
  return using(path, (database) => {
    const [integrity] = database.all<{ integrity_check: string }>('PRAGMA integrity_check(1)')
    const foreign = database.all<{ table: string }>('PRAGMA foreign_key_check')[0]
    const damage =
      integrity?.integrity_check === 'ok' ? null : (integrity?.integrity_check ?? 'it cannot be read')
    const has = (table: string) =>
      database.get('SELECT 1 FROM sqlite_schema WHERE name = ?', table) !== undefined
    const newest = ['runs', 'alerts']
      .filter(has)
      .map(
        (table) =>
          database.get<{ at: number }>(`SELECT created_at AS at FROM ${table} ORDER BY id DESC LIMIT 1`)?.at,
      )
    return {
      damage: damage ?? (foreign === undefined ? null : `a row of ${foreign.table} has a dangling reference`),
      version: Number(database.pragma('user_version')),
      known: migrations.length,
      audit: has('audit') ? done(judgeAudit(new SqliteDatabase(database))) : null,
      newestAt: newest.filter((at) => at !== undefined).toSorted((a, b) => b - a)[0],
    }
  })
}
