import { resealSecrets, type ResealOptions } from '../../sql/connections/reseal-secrets.ts'
import { done, SqliteDatabase } from '../database/sqlite-database.ts'
import { using } from './backup-file.ts'
import { sealCheck } from './master-key-check.ts'
import { openDatabase } from './open-database.ts'

/**
 * `resealSecrets` in one commit with the check of the key. Overwrites the old values in the file. Gives the number of secrets.
 *
 * @throws ConnectionError `secret_unreadable`
 */
export function resealFile(path: string, options: ResealOptions): number {
  openDatabase(path).close()
  return using(path, (connection) => {
    connection.pragma('synchronous = FULL')
    connection.pragma('secure_delete = ON')
    connection.script('BEGIN IMMEDIATE')
    const count = done(resealSecrets(new SqliteDatabase(connection), options))
    sealCheck(connection, options.to)
    connection.script('COMMIT')
    connection.pragma('wal_checkpoint(TRUNCATE)')
    return count
  })
}
