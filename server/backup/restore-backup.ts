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
import type { KeptFile } from '../sqlite/file/backup-file.ts'
import { cannotRead, isSystemError, readErrorOf } from '../sqlite/file/opening-errors.ts'
import { lockDataDir } from '../sqlite/file/lock.ts'
import { adoptBackup, inspectBackup, type RestoredRuns } from '../sqlite/file/restore-file.ts'
import { syncFile, syncFolderOf } from '../store/sync-files.ts'
import { masterKeyName, playbooksName } from './names.ts'
import { restorePlaybookFiles, type RestoredPlaybooks } from './playbook-files.ts'

export interface RestoreOptions {
  /** Where there is a database already: it is put aside. Default: refused. */
  readonly replace: boolean
  /** Runs that were under way go on. */
  readonly resume: boolean
}

export interface RestoredBackup {
  readonly runs: RestoredRuns
  readonly playbooks: RestoredPlaybooks & {
    readonly folder: string
    /** Where those lie that could not be written. */
    readonly asideFolder: string
  }
  /** Where the database from before lies now. */
  readonly putAside: string | undefined
}

/**
 * Makes a backup the content of the data directory, which no server may be using. Until all of it has been checked, nothing of what is there is
 * touched; the database appears under its name at once, and whole.
 *
 * @throws ConflictError `data_dir_in_use`, `data_dir_not_empty`, `master_key_missing`, and what `inspectBackup` throws; NotFoundError `backup_missing`
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
    // Before the database appears: a file that is written where there was none takes nothing away, should this end here.
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

const playbooksIn = (files: readonly KeptFile[]): readonly KeptFile[] =>
  files
    .filter(({ name }) => name.startsWith(playbooksName))
    .map(({ name, content }) => ({ name: name.slice(playbooksName.length), content }))

/** One that was made for nothing; not where there is more in it than the claim of this process. */
function removeDataDir(dataDir: string): void {
  for (const name of ['tocsin.lock', 'tocsin.pid']) rmSync(join(dataDir, name), { force: true })
  if (readdirSync(dataDir).length === 0) rmdirSync(dataDir)
}

/** Whether the key in use here, from the environment or the data directory, opens the secrets. */
function keyFits({ dataDir, masterKey }: Config, fits: ReturnType<typeof inspectBackup>['fits']): boolean {
  if (masterKey !== undefined) return fits(boxOf(masterKey.reveal()))
  const path = join(dataDir, masterKeyName)
  return existsSync(path) && fits(boxOf(readFileSync(path, 'utf8')))
}

const boxOf =
  (key: string) =>
  (version: number): SecretBox =>
    createSecretBox(loadMasterKey('', { TOCSIN_MASTER_KEY: key }, version))

/** A key that is there fits nothing here; it may fit something else. */
function putKey(path: string, key: Uint8Array): void {
  if (existsSync(path)) renameSync(path, `${path}.before-${systemClock.now()}`)
  writeFileSync(path, key, { mode: 0o600, flag: 'wx' })
  syncFile(path)
}

const parts = ['', '-wal', '-shm', '-journal']

function removeDatabase(path: string): void {
  for (const part of parts) rmSync(path + part, { force: true })
}

/** With the log that belongs to it, in which its newest changes may be. */
function moveDatabase(from: string, to: string): void {
  for (const part of parts) if (existsSync(from + part)) renameSync(from + part, to + part)
}

function notEmpty(dataDir: string): ConflictError {
  return new ConflictError('data_dir_not_empty', `${dataDir} holds the data of a server already`, {
    hint: 'restore into a data directory of its own (TOCSIN_DATA_DIR), or put the data that is there aside with --replace',
  })
}

function noKey({ dataDir, masterKey }: Config): ConflictError {
  const where = masterKey === undefined ? join(dataDir, masterKeyName) : 'TOCSIN_MASTER_KEY'
  return new ConflictError(
    'master_key_missing',
    `the backup was made with a master key that is neither ${where} nor in the backup`,
    {
      hint: `put the copy of the master key there first (mode 600), or set TOCSIN_MASTER_KEY; without it the secrets of connections are lost`,
    },
  )
}
