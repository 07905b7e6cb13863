import { existsSync } from 'node:fs'
import { ConflictError } from '../../../core/errors/errors.ts'
import { masterKeyFact, requireSealOf, sealMasterKey, versionOfSeal } from '../../secrets/master-key-seal.ts'
import type { SecretBox } from '../../secrets/secret-box.ts'
import { SqliteConnection } from '../database/connection.ts'
import { done, SqliteDatabase } from '../database/sqlite-database.ts'
import { bytesOfFact } from '../../sql/database/cursor-seal.ts'
import { setFact } from '../../sql/database/facts.ts'
import { asOpeningError } from './opening-errors.ts'

/** Seals the master key at the first start, and checks it at later ones; see `sealMasterKey`. Throws ConflictError `master_key_mismatch`. */
export function requireMasterKey(database: SqliteConnection, secrets: SecretBox): void {
  const check = readCheck(database)
  if (check === undefined) return sealCheck(database, secrets)
  const hint = 'Restore master.key beside the database, or set TOCSIN_MASTER_KEY to the key used before.'
  requireSealOf(secrets, check, database.path, hint)
}

/** Inside of a write. */
export function sealCheck(database: SqliteConnection, secrets: SecretBox): void {
  done(setFact(new SqliteDatabase(database), masterKeyFact, sealMasterKey(secrets)))
}

/** Whether the key opens the secrets of a database; false without any. */
export function opensDatabase(path: string, secrets: SecretBox): boolean {
  if (!existsSync(path)) return true
  const database = new SqliteConnection(path)
  try {
    if (readCheck(database) !== undefined) requireMasterKey(database, secrets)
    return true
  } catch (error) {
    if (error instanceof ConflictError) return false
    throw asOpeningError(path, error)
  } finally {
    database.close()
  }
}

/** Version of the master key: 1, and one more for each rotation. */
export function readKeyVersion(path: string): number {
  if (!existsSync(path)) return firstVersion
  const database = new SqliteConnection(path)
  try {
    return keyVersionOf(database)
  } catch (error) {
    throw asOpeningError(path, error)
  } finally {
    database.close()
  }
}

export function keyVersionOf(database: SqliteConnection): number {
  const check = readCheck(database)
  return check === undefined ? firstVersion : versionOfSeal(check)
}

const firstVersion = 1

function readCheck(database: SqliteConnection): Buffer | undefined {
  if (database.get(`SELECT 1 FROM sqlite_schema WHERE name = 'facts'`) === undefined) return undefined
  const found = database.get<{ value: string | Uint8Array }>(
    'SELECT value FROM facts WHERE name = ?',
    masterKeyFact,
  )
  return found && bytesOfFact(found.value)
}
