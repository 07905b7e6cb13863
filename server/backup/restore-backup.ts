import {
  chmodSync,
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import type { Actor } from '../../core/domain/audit.ts'
import { ConflictError, NotFoundError } from '../../core/errors/errors.ts'
import { systemClock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import { makeDataDirPrivate } from '../config/data-dir.ts'
import { loadMasterKey } from '../secrets/master-key.ts'
import { createSecretBox, type SecretBox } from '../secrets/secret-box.ts'
import type { BackupEntry } from '../sqlite/file/backup-file.ts'
import { cannotRead, isSystemError, readErrorOf } from '../sqlite/file/opening-errors.ts'
import { lockDataDir } from '../sqlite/file/lock.ts'
import { migrationSuffix } from '../sqlite/file/migration-file.ts'
import { adoptBackup, inspectBackup, type RestoredRuns } from '../sqlite/file/restore-file.ts'
import { syncFile, syncFolderOf } from '../store/sync-files.ts'
import { masterKeyName, playbooksName } from './names.ts'
import { restorePlaybookFiles, type RestoredPlaybooks } from './playbook-files.ts'

export interface RestoreOptions {
  /** Sets an existing database aside. Default: refuse. */
  readonly replace: boolean
  /** Resume active runs. */
  readonly resume: boolean
}

export interface RestoredBackup {
  readonly runs: RestoredRuns
  readonly playbooks: RestoredPlaybooks & {
    readonly folder: string
    /** Folder of the files that could not be written. */
    readonly asideFolder: string
  }
  /** Path of the earlier database. */
  readonly putAside: string | undefined
}

/**
 * Restores a backup into a data directory that no server uses. Changes nothing before the whole backup is checked; the database
 * appears under its name atomically.
 *
 * @throws ConflictError `data_dir_in_use`, `data_dir_not_empty`, `master_key_missing`, and what `inspectBackup` throws;
 * NotFoundError `backup_missing`
 */
export async function restoreBackup(
  config: Config,
  file: string,
  by: Actor,
  { replace, resume }: RestoreOptions,
): Promise<RestoredBackup> {
  requireFile(file)
  const { dataDir, playbooksDir: folder } = config
  const isNew = !existsSync(dataDir)
  makeDataDirPrivate(dataDir)
  const lock = lockDataDir(dataDir)
  const draft = join(dataDir, 'tocsin.restoring')
  let isRestored = false
  try {
    const database = join(dataDir, 'tocsin.db')
    if (existsSync(database) && !replace) throw notEmpty(dataDir)
    removeDatabase(draft)
    copyBackup(file, draft)
    chmodSync(draft, 0o600)
    const { files, fits } = inspectBackup(draft)
    const key = files.find(({ name }) => name === masterKeyName)?.content
    const isMissing = !keyFits(config, fits)
    if (isMissing && !(key !== undefined && fits(boxOf(Buffer.from(key).toString())))) throw noKey(config)
    const from = basename(file)
    const runs = adoptBackup(draft, { from, by, clock: systemClock, resume })
    syncFile(draft)
    // Before the database: if the process stops here, the added files do no harm.
    const asideFolder = join(dataDir, `tocsin.playbooks-${systemClock.now()}`)
    const playbooks = await restorePlaybookFiles(folder, playbooksIn(files), asideFolder)
    const putAside = existsSync(database) ? `${database}.before-${systemClock.now()}` : undefined
    if (putAside !== undefined) moveDatabase(database, putAside)
    if (isMissing && key !== undefined) putKey(join(dataDir, masterKeyName), key)
    removeDatabase(database)
    renameSync(draft, database)
    syncFolderOf(database)
    isRestored = true
    return { runs, playbooks: { ...playbooks, folder, asideFolder }, putAside }
  } finally {
    removeDatabase(draft)
    lock.release()
    if (isNew && !isRestored) removeDataDir(dataDir)
  }
}

function requireFile(file: string): void {
  let isFile: boolean | undefined
  try {
    isFile = statSync(file, { throwIfNoEntry: false })?.isFile()
  } catch (error) {
    throw asBackupError(file, error)
  }
  if (isFile === undefined) throw new NotFoundError('backup_missing', `there is no file ${file}`)
}

function copyBackup(file: string, draft: string): void {
  const cause = readErrorOf(file)
  if (cause !== undefined) throw asBackupError(file, cause)
  copyFileSync(file, draft)
}

const asBackupError = (file: string, error: unknown): unknown =>
  isSystemError(error)
    ? cannotRead(file, error, 'Check its disk and the system log, or use another backup.')
    : error

const playbooksIn = (files: readonly BackupEntry[]): readonly BackupEntry[] =>
  files
    .filter(({ name }) => name.startsWith(playbooksName))
    .map(({ name, content }) => ({ name: name.slice(playbooksName.length), content }))

/** Removes a data directory that was created for a failed restore, unless it has more than this process's claim. */
function removeDataDir(dataDir: string): void {
  for (const name of ['tocsin.lock', 'tocsin.pid']) rmSync(join(dataDir, name), { force: true })
  if (readdirSync(dataDir).length === 0) rmdirSync(dataDir)
}

/** Whether the present key, from the environment or the data directory, opens the secrets. */
function keyFits({ dataDir, masterKey }: Config, fits: ReturnType<typeof inspectBackup>['fits']): boolean {
  if (masterKey !== undefined) return fits(boxOf(masterKey.reveal()))
  const path = join(dataDir, masterKeyName)
  return existsSync(path) && fits(boxOf(readFileSync(path, 'utf8')))
}

const boxOf =
  (key: string) =>
  (version: number): SecretBox =>
    createSecretBox(loadMasterKey('', { TOCSIN_MASTER_KEY: key }, version))

/** The existing key does not fit, but may fit something else. */
function putKey(path: string, key: Uint8Array): void {
  if (existsSync(path)) renameSync(path, `${path}.before-${systemClock.now()}`)
  writeFileSync(path, key, { mode: 0o600, flag: 'wx' })
  syncFile(path)
}

const parts = ['', '-wal', '-shm', '-journal', migrationSuffix]

function removeDatabase(path: string): void {
  for (const part of parts) rmSync(path + part, { force: true })
}

/** With its write-ahead log, which may have the newest changes. */
function moveDatabase(from: string, to: string): void {
  for (const part of parts) if (existsSync(from + part)) renameSync(from + part, to + part)
}

function notEmpty(dataDir: string): ConflictError {
  return new ConflictError('data_dir_not_empty', `${dataDir} already contains the data of a server`, {
    hint: 'restore into an empty data directory (TOCSIN_DATA_DIR), or set the existing data aside with --replace',
  })
}

function noKey({ dataDir, masterKey }: Config): ConflictError {
  const where = masterKey === undefined ? join(dataDir, masterKeyName) : 'TOCSIN_MASTER_KEY'
  return new ConflictError(
    'master_key_missing',
    `the master key of the backup is neither ${where} nor in the backup`,
    {
      hint: `copy the master key there first (mode 600), or set TOCSIN_MASTER_KEY; without it the secrets of connections are lost`,
    },
  )
}
