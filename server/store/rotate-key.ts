import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Actor } from '../../core/domain/audit.ts'
import { ConflictError } from '../../core/errors/errors.ts'
import type { Secret } from '../../core/plugin/index.ts'
import type { NodeStore } from '../../core/ports/nodes/node-store.ts'
import { systemClock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import { makeDataDirPrivate } from '../config/data-dir.ts'
import { leaseMs } from '../nodes/keep-lease.ts'
import { findMasterKey } from './find-master-key.ts'
import { adoptNextKey, loadMasterKey, makeNextKey, type MasterKey } from '../secrets/master-key.ts'
import { nextKeyVersion } from '../secrets/master-key-seal.ts'
import { withMasterKey } from '../secrets/open-secret-sources.ts'
import { createSecretBox } from '../secrets/secret-box.ts'
import { lockDataDir } from '../sqlite/file/lock.ts'
import { opensDatabase } from '../sqlite/file/master-key-check.ts'
import { resealFile } from '../sqlite/file/reseal-file.ts'
import { openSharedStores } from './open-stores.ts'

/** A node that has not renewed its lease for so long is lost. */
const silenceMs = leaseMs + 1_000

export interface RotatedKey {
  readonly secrets: number
  /** Path of the old key, kept for earlier backups; undefined: it is in the environment. */
  readonly oldKey: string | undefined
}

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
  if (masterKey !== undefined && nextMasterKey === undefined)
    throw nextKeyMissing('the master key is in TOCSIN_MASTER_KEY')
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
    const version = nextKeyVersion(old.version)
    const next = nextKeyOf(config, version)
    if (next.key.equals(old.key)) throw nextKeyIsOld()
    const boxes = { from: createSecretBox(old), to: createSecretBox(next) }
    const secrets = resealFile(database, { ...boxes, version, by, clock: systemClock, data: 'tocsin.db' })
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

/**
 * Seals all secrets in the database of `TOCSIN_STORE` with the key of `TOCSIN_NEXT_MASTER_KEY` while no node runs, in one transaction. Nodes that
 * have been silent for longer than their lease are removed first. Gives the number of secrets.
 *
 * @throws ConflictError `nodes_running`, `master_key_mismatch`, `next_key_missing`, `next_key_is_old`, `next_key_is_used`; ConnectionError
 * `secret_unreadable`; UnavailableError `store_unavailable`
 */
export async function rotateSharedKey(given: Config, by: Actor): Promise<number> {
  const config = await withMasterKey(given)
  const { dataDir, masterKey, nextMasterKey } = config
  if (nextMasterKey === undefined) throw nextKeyMissing('all nodes need the same master key')
  const { stores, rotateMasterKey } = await openSharedStores(config, 'command').catch(
    async (error: unknown) => {
      throw (await isSealedWithNext(config, error)) ? nextKeyIsUsed() : error
    },
  )
  try {
    const keyOf = (key: Secret | undefined, version?: number) =>
      loadMasterKey(dataDir, { TOCSIN_MASTER_KEY: key?.reveal() }, version)
    if (keyOf(nextMasterKey).key.equals(keyOf(masterKey).key)) throw nextKeyIsOld()
    await removeSilent(stores.nodes)
    return await rotateMasterKey((version) => createSecretBox(keyOf(nextMasterKey, version)), by)
  } finally {
    await stores.close()
  }
}

async function isSealedWithNext(config: Config, error: unknown): Promise<boolean> {
  if (!(error instanceof ConflictError) || error.code !== 'master_key_mismatch') return false
  try {
    await (await openSharedStores({ ...config, masterKey: config.nextMasterKey }, 'command')).stores.close()
    return true
  } catch {
    return false
  }
}

/** Nodes that ended without leaving. Those that live are left alone. */
async function removeSilent(nodes: NodeStore): Promise<void> {
  const present = async () => (await nodes.list()).filter(({ gone }) => gone === null)
  const before = await present()
  if (before.length === 0) return
  await sleep(silenceMs)
  const renewals = new Map(before.map(({ id, renewedAt }) => [id, renewedAt]))
  const silent = (await present()).filter(({ id, renewedAt }) => renewals.get(id) === renewedAt)
  await nodes.remove(silent, 'lost')
}

function mismatch(isDone: boolean): ConflictError {
  return isDone
    ? nextKeyIsUsed()
    : new ConflictError('master_key_mismatch', 'the master key does not open the secrets of the database', {
        hint: 'set TOCSIN_MASTER_KEY, or put the previous master.key beside the database',
      })
}

const nextKeyIsUsed = (): ConflictError =>
  new ConflictError('next_key_is_used', 'the secrets are sealed with TOCSIN_NEXT_MASTER_KEY already', {
    hint: 'set TOCSIN_MASTER_KEY to its value, and remove TOCSIN_NEXT_MASTER_KEY',
  })

function nextKeyMissing(why: string): ConflictError {
  return new ConflictError('next_key_missing', `${why}, so the next one must be in TOCSIN_NEXT_MASTER_KEY`, {
    hint: 'set TOCSIN_NEXT_MASTER_KEY to the output of: openssl rand -base64 32',
  })
}

function nextKeyIsOld(): ConflictError {
  return new ConflictError('next_key_is_old', 'TOCSIN_NEXT_MASTER_KEY is the key that is in use', {
    hint: 'make another one: openssl rand -base64 32',
  })
}
