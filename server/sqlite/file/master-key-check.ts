import { existsSync } from 'node:fs'
import { ConflictError } from '../../../core/errors/errors.ts'
import { Secret } from '../../../core/plugin/index.ts'
import type { SecretBox, SecretPlace } from '../../secrets/secret-box.ts'
import { Database } from '../database/database.ts'
import { setFact } from '../database/facts.ts'
import { asOpeningError } from './opening-errors.ts'

const keyCheckPlace: SecretPlace = { organizationUuid: '', connectionUuid: '', field: 'master_key_check' }

/**
 * Throws ConflictError `master_key_mismatch`. The first start seals a known text and later starts open it, so that a lost or
 * swapped master key is detected before new secrets are sealed with it.
 */
export function requireMasterKey(database: Database, secrets: SecretBox): void {
  const check = readCheck(database)
  if (check === undefined) return sealCheck(database, secrets)
  try {
    secrets.open(keyCheckPlace, { keyVersion: check[0] ?? 0, bytes: check.subarray(1) })
  } catch (cause) {
    throw new ConflictError(
      'master_key_mismatch',
      `the master key does not open the secrets of ${database.path}`,
      {
        hint: 'Restore master.key beside the database, or set TOCSIN_MASTER_KEY to the key used before.',
        cause,
      },
    )
  }
}

/** Inside of a write. */
export function sealCheck(database: Database, secrets: SecretBox): void {
  const { keyVersion, bytes } = secrets.seal(keyCheckPlace, new Secret('tocsin'))
  setFact(database, 'master_key_check', Buffer.concat([Buffer.from([keyVersion]), bytes]))
}

/** Whether the key opens the secrets of a database; false without any. */
export function opensDatabase(path: string, secrets: SecretBox): boolean {
  if (!existsSync(path)) return true
  const database = new Database(path)
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
  const database = new Database(path)
  try {
    return keyVersionOf(database)
  } catch (error) {
    throw asOpeningError(path, error)
  } finally {
    database.close()
  }
}

export function keyVersionOf(database: Database): number {
  return readCheck(database)?.[0] ?? firstVersion
}

const firstVersion = 1

function readCheck(database: Database): Buffer | undefined {
  if (database.get(`SELECT 1 FROM sqlite_schema WHERE name = 'facts'`) === undefined) return undefined
  return database.get<{ value: Buffer }>(`SELECT value FROM facts WHERE name = 'master_key_check'`)?.value
}
