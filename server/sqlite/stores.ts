import { dirname, join } from 'node:path'
import type { AuditHead } from '../../core/domain/audit.ts'
import type { Clock } from '../../core/ports/clock.ts'
import type { Stores } from '../../core/ports/stores.ts'
import type { SecretBox } from '../secrets/secret-box.ts'
import { defaultFileLimits, type FileLimits } from '../../core/transitions/case-files.ts'
import { ChangeWatch } from './database/change-watch.ts'
import { requireCursorKey, setFact } from '../sql/database/facts.ts'
import type { DatabaseOptions, SqliteConnection } from './database/connection.ts'
import { done, SqliteDatabase } from './database/sqlite-database.ts'
import { GroupCommit, type Commit, type GroupCommitOptions } from './database/group-commit.ts'
import { assembleStores } from '../sql/stores.ts'
import { Membership } from '../sql/nodes/node-store.ts'
import { headOf } from '../sql/audit/audit-log.ts'
import { lockDataDir, type DataDirLock } from './file/lock.ts'
import { requireMasterKey } from './file/master-key-check.ts'
import { openDatabase } from './file/open-database.ts'
import { SealedValues } from '../sql/context/sealed-values.ts'
import { isStorageFailure, storeUnavailable } from './database/storage-errors.ts'
import { DatabaseFileGuard, probeSpace } from './file/database-file-guard.ts'

export interface SqliteStoresOptions
  extends Omit<GroupCommitOptions, 'beforeCommit' | 'changes'>, DatabaseOptions {
  /** Created if missing, readable by its owner only. */
  readonly dataDir: string
  readonly secrets: SecretBox
  readonly clock: Pick<Clock, 'now' | 'monotonic'>
  /**
   * `exclusive` (default) for the process that runs investigations, one per data directory. `shared` for commands beside it, e.g.
   * `tocsin keys create`, which take the claim only during a migration.
   */
  readonly claim?: 'exclusive' | 'shared'
  /** Those that are absent are `defaultFileLimits`. */
  readonly fileLimits?: Partial<FileLimits> | undefined
  /** Called with the newest audit entry after its commit. */
  readonly onAuditHead?: ((head: AuditHead) => void) | undefined
}

/**
 * Opens and migrates `tocsin.db` in the data directory.
 *
 * Throws ConflictError `data_dir_in_use` or `master_key_mismatch`, and what `openDatabase` throws.
 */
export async function openSqliteStores(options: SqliteStoresOptions): Promise<Stores> {
  const { dataDir, secrets } = options
  const claim = options.claim ?? 'exclusive'
  let lock = claim === 'exclusive' ? lockDataDir(dataDir) : undefined
  let connection: SqliteConnection | undefined
  try {
    // A command must not migrate the database of a running server.
    connection = openDatabase(join(dataDir, 'tocsin.db'), options, () => (lock ??= lockDataDir(dataDir)))
    requireMasterKey(connection, secrets)
    const database = new SqliteDatabase(connection)
    database.sealed = new SealedValues(secrets)
    done(requireCursorKey(database))
    if (claim === 'shared') lock?.release()
    const held = claim === 'exclusive' ? lock : undefined
    return assemble(database, { ...options, held })
  } catch (error) {
    connection?.close()
    lock?.release()
    throw isStorageFailure(error) ? storeUnavailable(error) : error
  }
}

function committed(
  database: SqliteDatabase,
  { onCommit, onAuditHead }: SqliteStoresOptions,
): (commit: Commit) => void {
  let told = 0
  return (commit) => {
    onCommit?.(commit)
    const head = onAuditHead && done(headOf(database))
    if (head === undefined || head.sequence <= told) return
    told = head.sequence
    onAuditHead?.(head)
  }
}

function assemble(
  database: SqliteDatabase,
  options: SqliteStoresOptions & { readonly held: DataDirLock | undefined },
): Stores {
  const { clock, secrets, held } = options
  const { connection } = database
  const changes = new ChangeWatch(database)
  const fileGuard = new DatabaseFileGuard(connection.path)
  const membership = new Membership(database)
  const transactions = new GroupCommit(database, {
    ...options,
    changes,
    beforeCommit() {
      fileGuard.require()
      done(membership.require())
    },
    onCommit: committed(database, options),
  })
  const fileLimits = { ...defaultFileLimits, ...options.fileLimits }
  const stores = assembleStores(
    { database, transactions, clock },
    { secrets, changes, membership, fileLimits, isIndexing: held !== undefined },
  )
  let emptied = false
  return {
    ...stores,
    async probe() {
      await transactions.write(() => setFact(database, 'probed_at', clock.now()))
      await probeSpace(dirname(connection.path))
    },
    // Commits of other processes are seen in `data_version`.
    forgetConfiguration: () => undefined,
    databaseBytes: () => Promise.resolve(undefined),
    gone() {
      const error = fileGuard.gone()
      if (error !== undefined && !emptied) emptied = emptyLog(connection)
      return error ?? done(membership.removed())
    },
    async close() {
      // Work in the background is not waited for: it goes on at the next start.
      await Promise.all([transactions.close(), stores.close()])
      connection.close()
      held?.release()
    },
  }
}

/**
 * Moves acknowledged writes from the write-ahead log into the moved database. A log left behind would be applied to a new file of
 * that name and damage it.
 */
function emptyLog(database: SqliteConnection): true {
  try {
    database.pragma('wal_checkpoint(TRUNCATE)')
  } catch {
    // The disk may also be unavailable.
  }
  return true
}
