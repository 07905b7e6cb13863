import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ConflictError } from '../../core/errors/errors.ts'
import type { Config } from '../config/config.ts'
import { loadMasterKey, loadNextKey, type MasterKey } from '../secrets/master-key.ts'
import { createSecretBox } from '../secrets/secret-box.ts'
import { opensDatabase, readKeyVersion } from '../sqlite/file/master-key-check.ts'

/**
 * The master key of the data directory, or the next key if a rotation was interrupted after sealing. Creates
 * a key only if there is no database, because a new key cannot decrypt an existing database.
 *
 * @throws ConflictError `master_key_missing`, and what `loadMasterKey` throws
 */
export function findMasterKey(config: Pick<Config, 'dataDir' | 'masterKey' | 'nextMasterKey'>): MasterKey {
  const { dataDir, masterKey } = config
  const database = join(dataDir, 'tocsin.db')
  const version = readKeyVersion(database)
  const next = nextKey(config, version)
  const isMissing =
    masterKey === undefined && !existsSync(join(dataDir, 'master.key')) && existsSync(database)
  const opens = (key: MasterKey) => opensDatabase(database, createSecretBox(key))
  if (isMissing && !(next && opens(next))) throw missing(dataDir)
  if (isMissing && next) return next
  const key = loadMasterKey(dataDir, { TOCSIN_MASTER_KEY: masterKey?.reveal() }, version)
  return next !== undefined && !opens(key) && opens(next) ? next : key
}

function nextKey({ dataDir, nextMasterKey }: Pick<Config, 'dataDir' | 'nextMasterKey'>, version: number) {
  return nextMasterKey === undefined
    ? loadNextKey(dataDir, version)
    : loadMasterKey(dataDir, { TOCSIN_MASTER_KEY: nextMasterKey.reveal() }, version)
}

function missing(dataDir: string): ConflictError {
  return new ConflictError('master_key_missing', `${dataDir} has a database but no master key`, {
    hint: `restore the copy of ${join(dataDir, 'master.key')} (mode 600), or set TOCSIN_MASTER_KEY to the key used before`,
  })
}
