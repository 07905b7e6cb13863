import { dirname, join } from 'node:path'
import type { AuditHead } from '../../core/domain/audit.ts'
import type { ChangeSource } from '../../core/domain/change.ts'
import type { Clock } from '../../core/ports/clock.ts'
import type { Stores } from '../../core/ports/stores.ts'
import type { SecretBox } from '../secrets/secret-box.ts'
import { AlertIndexer } from './alerts/alert-indexer.ts'
import { SqliteAlertStore } from './alerts/alert-store.ts'
import { headOf, SqliteAuditStore } from './audit/audit-log.ts'
import { SqliteCaseStore } from './cases/case-store.ts'
import { ChangeWatch } from './database/change-watch.ts'
import { SqliteCheckpointStore } from './checkpoints/checkpoint-store.ts'
import { SqliteConnectionStore } from './connections/connection-store.ts'
import { requireCursorKey } from './database/facts.ts'
import type { Database, DatabaseOptions } from './database/database.ts'
import { SqliteDestructiveUseStore } from './checkpoints/destructive-uses.ts'
import { setFact } from './database/facts.ts'
import { GroupCommit, type Commit, type GroupCommitOptions } from './database/group-commit.ts'
import { SqliteInboundStore } from './connections/inbound-store.ts'
import { SqliteJournalStore } from './runs/journal-store.ts'
import { SqliteKeyStore } from './access/key-store.ts'
import { SqliteLineStore } from './runs/line-store.ts'
import { lockDataDir, type DataDirLock } from './file/lock.ts'
import { requireMasterKey } from './file/master-key-check.ts'
import { openDatabase } from './file/open-database.ts'
import { SqliteOrganizationStore } from './access/organization-store.ts'
import { SqlitePauseStore } from './runs/pause-store.ts'
import { SqlitePlaybookStore } from './playbooks/playbook-store.ts'
import { probeSpace } from './file/probe-space.ts'
import { SqliteProviderStore } from './access/provider-store.ts'
import { SqliteRequestStore } from './access/request-store.ts'
import { SqliteRetentionStore } from './retention/retention-store.ts'
import { SqliteRunStore } from './runs/run-store.ts'
import { SqliteScheduleStore } from './runs/schedule-store.ts'
import { SqliteSessionStore } from './access/session-store.ts'
import { SealedValues } from './context/sealed-values.ts'
import { isStorageFailure, storeUnavailable } from './database/storage-errors.ts'
import type { StoreContext } from './context/store-context.ts'
import { Whereabouts } from './file/whereabouts.ts'

export interface SqliteStoresOptions
  extends Omit<GroupCommitOptions, 'beforeCommit' | 'changes'>, DatabaseOptions {
  /** Made when missing, readable by its owner only. */
  readonly dataDir: string
  readonly secrets: SecretBox
  readonly clock: Pick<Clock, 'now' | 'monotonic'>
  /**
   * `exclusive` (default) for the process that runs investigations: one per data directory. `shared` for commands that work
   * beside it, e.g. making a key; it takes the claim only while it has to change the tables.
   */
  readonly claim?: 'exclusive' | 'shared'
  /** Is told of the newest entry of the audit log, after the commit that holds it. */
  readonly onAuditHead?: ((head: AuditHead) => void) | undefined
}

/**
 * Opens `tocsin.db` in the data directory, and brings it up to this program.
 *
 * Throws ConflictError `data_dir_in_use` or `master_key_mismatch`, and what `openDatabase` throws.
 */
export async function openSqliteStores(options: SqliteStoresOptions): Promise<Stores> {
  const { dataDir, secrets, clock } = options
  const claim = options.claim ?? 'exclusive'
  let lock = claim === 'exclusive' ? lockDataDir(dataDir) : undefined
  let database: Database | undefined
  try {
    // A command beside the server must not change the tables under it.
    database = openDatabase(join(dataDir, 'tocsin.db'), options, () => (lock ??= lockDataDir(dataDir)))
    requireMasterKey(database, secrets)
    database.sealed = new SealedValues(secrets)
    requireCursorKey(database)
    if (claim === 'shared') lock?.release()
    const changes = new ChangeWatch(database)
    const whereabouts = new Whereabouts(database.path)
    const commits = new GroupCommit(database, {
      ...options,
      changes,
      beforeCommit: () => whereabouts.require(),
      onCommit: committed(database, options),
    })
    const held = claim === 'exclusive' ? lock : undefined
    return assembleStores({ database, commits, clock }, { secrets, changes, whereabouts, lock: held })
  } catch (error) {
    database?.close()
    lock?.release()
    throw isStorageFailure(error) ? storeUnavailable(error) : error
  }
}

function committed(
  database: Database,
  { onCommit, onAuditHead }: SqliteStoresOptions,
): (commit: Commit) => void {
  let told = 0
  return (commit) => {
    onCommit?.(commit)
    const head = onAuditHead && headOf(database)
    if (head === undefined || head.sequence <= told) return
    told = head.sequence
    onAuditHead?.(head)
  }
}

interface Besides {
  readonly secrets: SecretBox
  readonly changes: ChangeSource
  readonly whereabouts: Whereabouts
  readonly lock: DataDirLock | undefined
}

function assembleStores(context: StoreContext, { secrets, changes, whereabouts, lock }: Besides): Stores {
  const { database, commits, clock } = context
  const indexer = new AlertIndexer(context)
  const destructiveUses = new SqliteDestructiveUseStore(context)
  let emptied = false
  // A command beside the server leaves that to it.
  if (lock !== undefined) indexer.soon()
  return {
    organizations: new SqliteOrganizationStore(context),
    providers: new SqliteProviderStore(context),
    keys: new SqliteKeyStore(context),
    sessions: new SqliteSessionStore(context),
    requests: new SqliteRequestStore(context),
    alerts: new SqliteAlertStore(context, indexer),
    cases: new SqliteCaseStore(context),
    playbooks: new SqlitePlaybookStore(context),
    runs: new SqliteRunStore(context),
    journal: new SqliteJournalStore(context, destructiveUses),
    lines: new SqliteLineStore(context),
    destructiveUses,
    checkpoints: new SqliteCheckpointStore(context),
    inbound: new SqliteInboundStore(context),
    schedules: new SqliteScheduleStore(context),
    pause: new SqlitePauseStore(context),
    connections: new SqliteConnectionStore(context, secrets),
    audit: new SqliteAuditStore(context),
    retention: new SqliteRetentionStore(context, destructiveUses),
    changes,
    async probe() {
      await commits.write(() => setFact(database, 'probed_at', clock.now()))
      await probeSpace(dirname(database.path))
    },
    gone() {
      const error = whereabouts.gone()
      if (error !== undefined && !emptied) emptied = emptyLog(database)
      return error
    },
    async close() {
      await indexer.close()
      await commits.close()
      database.close()
      lock?.release()
    },
  }
}

/**
 * Moves what was acknowledged from the write-ahead log into the database, wherever that is now. A log that is left behind would be
 * taken for that of the file which stands in its place, and damage it.
 */
function emptyLog(database: Database): true {
  try {
    database.pragma('wal_checkpoint(TRUNCATE)')
  } catch {
    // The disk may be gone too.
  }
  return true
}
