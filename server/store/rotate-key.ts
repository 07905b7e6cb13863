import { join } from 'node:path'
import type { Actor } from '../../core/domain/audit.ts'
import { ConflictError } from '../../core/errors/errors.ts'
import { systemClock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import { makeDataDirPrivate } from '../config/data-dir.ts'
import { findMasterKey } from './find-master-key.ts'
import { adoptNextKey, loadMasterKey, makeNextKey, type MasterKey } from '../secrets/master-key.ts'
import { createSecretBox } from '../secrets/secret-box.ts'
import { lockDataDir } from '../sqlite/file/lock.ts'
import { opensDatabase } from '../sqlite/file/master-key-check.ts'
import { resealFile } from '../sqlite/file/reseal-file.ts'

export interface RotatedKey {
  readonly secrets: number
  /** Path of the old key, kept for earlier backups; undefined: it is in the environment. */
  readonly oldKey: string | undefined
}

/** The version is stored in one byte. */
const nextVersion = (version: number): number => (version % 255) + 1

/**
 * Seals all secrets with a new master key, from `TOCSIN_NEXT_MASTER_KEY` or from a new file, while no server uses the data
 * directory. The new key is on disk before anything is sealed with it, and replaces the old one at the end. Whenever the process
 * stops, one of the two keys opens all secrets, and the next start finds it.
 *
 * @throws ConflictError `data_dir_in_use`, `master_key_mismatch`, `next_key_missing`, `next_key_is_old`; ConnectionError
 * `secret_unreadable`
 */
export function rotateKey(config: Config, by: Actor): RotatedKey {
  const { dataDir, masterKey, nextMasterKey } = config
  if (masterKey !== undefined && nextMasterKey === undefined) throw nextKeyMissing()
  makeDataDirPrivate(dataDir)
  const lock = lockDataDir(dataDir)
  try {
    const database = join(dataDir, 'tocsin.db')
    // Otherwise an interrupted rotation would be mistaken for a new one.
    let old = findMasterKey({ ...config, nextMasterKey: undefined })
    if (old.origin === 'next') adoptNextKey(dataDir, old.version - 1)
    old = findMasterKey({ ...config, nextMasterKey: undefined })
    if (!opensDatabase(database, createSecretBox(old)))
      throw mismatch(nextMasterKey !== undefined && opens(config, old, database))
    const version = nextVersion(old.version)
    const next = nextKeyOf(config, version)
    if (next.key.equals(old.key)) throw nextKeyIsOld()
    const boxes = { from: createSecretBox(old), to: createSecretBox(next) }
    const secrets = resealFile(database, { ...boxes, version, by, clock: systemClock })
    return { secrets, oldKey: masterKey === undefined ? adoptNextKey(dataDir, old.version) : undefined }
  } finally {
    lock.release()
  }
}

function nextKeyOf({ dataDir, nextMasterKey }: Config, version: number): MasterKey {
  return nextMasterKey === undefined
    ? makeNextKey(dataDir, version)
    : loadMasterKey(dataDir, { TOCSIN_MASTER_KEY: nextMasterKey.reveal() }, version)
}

/** Whether the database is sealed with the next key of the environment. */
function opens({ dataDir, nextMasterKey }: Config, { version }: MasterKey, database: string): boolean {
  const next = loadMasterKey(dataDir, { TOCSIN_MASTER_KEY: nextMasterKey?.reveal() }, version)
  return opensDatabase(database, createSecretBox(next))
}

function mismatch(isDone: boolean): ConflictError {
  return isDone
    ? new ConflictError('next_key_is_used', 'the secrets are sealed with TOCSIN_NEXT_MASTER_KEY already', {
        hint: 'set TOCSIN_MASTER_KEY to its value, and remove TOCSIN_NEXT_MASTER_KEY',
      })
    : new ConflictError('master_key_mismatch', 'the master key does not open the secrets of the database', {
        hint: 'set TOCSIN_MASTER_KEY, or put the previous master.key beside the database',
      })
}

function nextKeyMissing(): ConflictError {
  return new ConflictError(
    'next_key_missing',
    'the master key is in TOCSIN_MASTER_KEY, so the next one must be in TOCSIN_NEXT_MASTER_KEY',
    {
      hint: 'set TOCSIN_NEXT_MASTER_KEY to the output of: openssl rand -base64 32',
    },
  )
}

function nextKeyIsOld(): ConflictError {
  return new ConflictError('next_key_is_old', 'TOCSIN_NEXT_MASTER_KEY is the key that is in use', {
    hint: 'make another one: openssl rand -base64 32',
  })
}
