import { createSecretKey, randomBytes, type KeyObject } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { ValidationError } from '../../core/errors/errors.ts'
import { syncFolderOf } from '../store/sync-files.ts'

export interface MasterKey {
  readonly key: KeyObject
  /** Stored beside every secret, so that a rotation knows which key sealed it. */
  readonly version: number
  /** `next`: the key of an unfinished rotation. */
  readonly origin: 'environment' | 'file' | 'made' | 'next'
}

const variable = 'TOCSIN_MASTER_KEY'
const keyBytes = 32
const base64Of32Bytes = /^[A-Za-z0-9+/]{43}=$/

/**
 * The key that seals the secrets of connections: from `TOCSIN_MASTER_KEY` (base64, 32 bytes), else from `master.key` in the data
 * directory, which the first start creates, readable by its owner only.
 *
 * Throws ValidationError `invalid_master_key` or `master_key_exposed`; the messages never quote the key.
 */
export function loadMasterKey(
  dataDir: string,
  env: Readonly<Record<string, string | undefined>>,
  version = 1,
): MasterKey {
  const fromEnvironment = env[variable]
  if (fromEnvironment !== undefined && fromEnvironment !== '') {
    return { key: parseKey(fromEnvironment, variable), version, origin: 'environment' }
  }
  const path = join(dataDir, 'master.key')
  const made = makeKeyFile(dataDir, path)
  refuseExposedFile(path)
  return { key: parseKey(readFileSync(path, 'utf8'), path), version, origin: made ? 'made' : 'file' }
}

/** The key of an unfinished rotation; see `makeNextKey`. */
export function loadNextKey(dataDir: string, version: number): MasterKey | undefined {
  const path = join(dataDir, nextName)
  if (!existsSync(path)) return undefined
  refuseExposedFile(path)
  return { key: parseKey(readFileSync(path, 'utf8'), path), version, origin: 'next' }
}

/**
 * Creates the next key beside `master.key`, on disk before anything is sealed with it. Replaces the unused key of an interrupted
 * rotation.
 */
export function makeNextKey(dataDir: string, version: number): MasterKey {
  const path = join(dataDir, nextName)
  const draft = writeKeyDraft(path)
  renameSync(draft, path)
  syncFolderOf(path)
  return { key: parseKey(readFileSync(path, 'utf8'), path), version, origin: 'next' }
}

/** Replaces `master.key` by the next key, and keeps it for earlier backups. Gives its new name. */
export function adoptNextKey(dataDir: string, oldVersion: number): string {
  const path = join(dataDir, 'master.key')
  const kept = `${path}.v${oldVersion}`
  if (existsSync(path) && !existsSync(kept)) linkSync(path, kept)
  if (existsSync(join(dataDir, nextName))) renameSync(join(dataDir, nextName), path)
  else rmSync(path, { force: true })
  syncFolderOf(path)
  return kept
}

const nextName = 'master.key.next'

function parseKey(text: string, source: string): KeyObject {
  const trimmed = text.trim()
  const bytes = Buffer.from(trimmed, 'base64')
  if (base64Of32Bytes.test(trimmed) && bytes.length === keyBytes) return createSecretKey(bytes)
  const found = /^[A-Za-z0-9+/]*={0,2}$/.test(trimmed) ? `${bytes.length} bytes` : 'invalid base64'
  const message = `${source} must contain ${keyBytes} bytes in base64; found ${found}`
  throw new ValidationError('invalid_master_key', message, [{ pointer: '', message }], {
    hint:
      source === variable
        ? `Generate one with: openssl rand -base64 ${keyBytes}`
        : 'Restore that file from a backup. Without it the stored secrets cannot be read; if there are none yet, delete it.',
  })
}

/** False if there is one. The key appears under its name completely or not at all. */
function makeKeyFile(dataDir: string, path: string): boolean {
  if (statSync(path, { throwIfNoEntry: false }) !== undefined) return false
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const draft = writeKeyDraft(path)
  try {
    linkSync(draft, path)
    syncFolderOf(path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return false
  } finally {
    unlinkSync(draft)
  }
}

function writeKeyDraft(path: string): string {
  const draft = `${path}.${randomBytes(6).toString('hex')}`
  const file = openSync(draft, 'wx', 0o600)
  try {
    writeFileSync(file, `${randomBytes(keyBytes).toString('base64')}\n`)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  return draft
}

function refuseExposedFile(path: string): void {
  const mode = statSync(path).mode & 0o777
  if (process.platform === 'win32' || (mode & 0o077) === 0) return
  const message = `${path} can be read by other users (mode ${mode.toString(8)})`
  throw new ValidationError('master_key_exposed', message, [{ pointer: '', message }], {
    hint: `Run: chmod 600 '${path}'. If others may have read it, rotate the key and the secrets.`,
  })
}
