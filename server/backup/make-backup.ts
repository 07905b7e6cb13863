import { existsSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import type { Actor } from '../../core/domain/audit.ts'
import { ConflictError, ValidationError } from '../../core/errors/errors.ts'
import { isReservedOnWindows } from '../../core/common/reserved-names.ts'
import { systemClock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import { findMasterKey } from '../store/find-master-key.ts'
import { openStores } from '../store/open-stores.ts'
import { syncFile, syncFolderOf } from '../store/sync-files.ts'
import { writeBackupFile, type BackupEntry } from '../sqlite/file/backup-file.ts'
import { masterKeyName, playbooksName } from './names.ts'
import { readPlaybookFiles } from './playbook-files.ts'

export interface BackupSummary {
  readonly bytes: number
  readonly playbooks: number
  /** Connections whose secrets need the master key. */
  readonly connections: number
}

/**
 * Backs up the database and the playbooks folder into one file, beside a running server too. Includes the master key only on
 * request, since the file then suffices to read the secrets.
 *
 * @throws ConflictError `backup_exists`; UnavailableError, and what opening the stores throws
 */
export async function makeBackup(
  config: Config,
  target: string,
  by: Actor,
  options: { readonly withMasterKey: boolean },
): Promise<BackupSummary> {
  if (isReservedOnWindows(basename(target))) {
    const message = `${basename(target)} cannot name a backup: Windows reserves it for a device`
    throw new ValidationError('file_name_reserved', message, [], {
      hint: 'give another name, e.g. tocsin.db',
    })
  }
  if (existsSync(target)) {
    throw new ConflictError('backup_exists', `${target} already exists`, { hint: 'give a new name' })
  }
  const stores = await openStores(config, 'shared')
  let connections: number
  try {
    await stores.audit.record({
      action: 'backup.made',
      by,
      organizationUuid: null,
      subject: { kind: 'data', id: 'tocsin.db', name: basename(target) },
      details: { with_master_key: options.withMasterKey },
    })
    connections = (await stores.connections.list('all')).filter(({ secretsAt }) => secretsAt !== null).length
  } finally {
    await stores.close()
  }
  const playbooks = await readPlaybookFiles(config.playbooksDir)
  const files = [
    ...playbooks.map(({ name, content }) => ({ name: playbooksName + name, content })),
    ...(options.withMasterKey ? [masterKeyFile(config)] : []),
  ]
  const draft = `${resolve(target)}.partial`
  rmSync(draft, { force: true })
  try {
    writeBackupFile(join(config.dataDir, 'tocsin.db'), draft, files, systemClock.now())
    syncFile(draft)
    renameSync(draft, target)
    syncFolderOf(target)
  } finally {
    rmSync(draft, { force: true })
  }
  return { bytes: statSync(target).size, playbooks: playbooks.length, connections }
}

function masterKeyFile(config: Config): BackupEntry {
  const text = findMasterKey(config).key.export().toString('base64')
  return { name: masterKeyName, content: Buffer.from(`${text}\n`) }
}
