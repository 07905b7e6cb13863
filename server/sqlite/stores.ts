import { dirname, join } from 'node:path'
import type { AuditHead } from '../../core/domain/audit.ts'
import type { ChangeSource } from '../../core/domain/change.ts'
import type { Clock } from '../../core/ports/clock.ts'
import type { Stores } from '../../core/ports/stores.ts'
import type { SecretBox } from '../secrets/secret-box.ts'
import { AlertIndexer } from './alerts/alert-indexer.ts'
import { SqliteAlertStore } from './alerts/alert-store.ts'
import { headOf, SqliteAuditStore } from './audit/audit-log.ts'
import { defaultFileQuota } from '../../core/transitions/case-files.ts'
import { SqliteCaseFileStore } from './cases/case-file-store.ts'
import { SqliteCaseMoveStore } from './cases/case-move-store.ts'
import { SqliteCaseWorkStore } from './cases/case-work-store.ts'
import { SqliteCaseStore } from './cases/case-store.ts'
import { SqliteContainmentStore } from './containments/containment-store.ts'
import { ChangeWatch } from './database/change-watch.ts'
import { SqliteCheckpointStore } from './checkpoints/checkpoint-store.ts'
import { SqliteConnectionStore } from './connections/connection-store.ts'
import { SqliteSignInStore } from './connections/sign-in-store.ts'
import { requireCursorKey, setFact } from './database/facts.ts'
import type { Database, DatabaseOptions } from './database/database.ts'
import { SqliteRates } from './limits/rates.ts'
import { SqliteDestructiveUseStore } from './checkpoints/destructive-uses.ts'
import { GroupCommit, type Commit, type GroupCommitOptions } from './database/group-commit.ts'
import { SqliteEventWaitStore } from './events/event-wait-store.ts'
import { SqliteInboundStore } from './connections/inbound-store.ts'
import { SqliteJournalStore } from './runs/journal-store.ts'
import { SqliteAccountStore } from './access/account-store.ts'
import { SqliteCredentialStore } from './access/credential-store.ts'
import { SqliteInvitationStore } from './access/invitation-store.ts'
import { SqliteKeyStore } from './access/key-store.ts'
import { SqliteJournalReader } from './runs/journal-reader.ts'
import { ListedRows } from './context/listed-rows.ts'
import { lockDataDir, type DataDirLock } from './file/lock.ts'
import { requireMasterKey } from './file/master-key-check.ts'
import { openDatabase } from './file/open-database.ts'
import { SqliteNumberStore } from './numbers/number-store.ts'
import { SqliteObservableStore } from './observables/observable-store.ts'
import { SqliteOrganizationStore } from './access/organization-store.ts'
import { SqlitePauseStore } from './runs/pause-store.ts'
import { SqlitePlaybookStore } from './playbooks/playbook-store.ts'
import { SqliteProviderStore } from './access/provider-store.ts'
import { SqliteRoleStore } from './access/role-store.ts'
import { SqliteRequestStore } from './access/request-store.ts'
import { SqliteRetentionStore } from './retention/retention-store.ts'
import { SqliteRunStore } from './runs/run-store.ts'
import { SqliteTriggerStore } from './triggers/trigger-store.ts'
import { SqliteScheduleStore } from './runs/schedule-store.ts'
import { SqliteShadowStore } from './shadows/shadow-store.ts'
import { SqliteStateStore } from './playbooks/state-store.ts'
import { SqliteSingleSignOnStore } from './access/single-sign-on-store.ts'
import { SqliteSharedFilterStore } from './access/shared-filter-store.ts'
import { SqliteSessionStore } from './access/session-store.ts'
import { SealedValues } from './context/sealed-values.ts'
import { isStorageFailure, storeUnavailable } from './database/storage-errors.ts'
import type { StoreContext } from './context/store-context.ts'
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
  /** Bytes of the files of each organization. Default 1 GB. */
  readonly fileQuota?: number | undefined
  /** Called with the newest audit entry after its commit. */
  readonly onAuditHead?: ((head: AuditHead) => void) | undefined
}

/**
 * Opens and migrates `tocsin.db` in the data directory.
 *
 * Throws ConflictError `data_dir_in_use` or `master_key_mismatch`, and what `openDatabase` throws.
 */
export async function openSqliteStores(options: SqliteStoresOptions): Promise<Stores> {
  const { dataDir, secrets, clock } = options
  const claim = options.claim ?? 'exclusive'
  let lock = claim === 'exclusive' ? lockDataDir(dataDir) : undefined
  let database: Database | undefined
  try {
    // A command must not migrate the database of a running server.
    database = openDatabase(join(dataDir, 'tocsin.db'), options, () => (lock ??= lockDataDir(dataDir)))
    requireMasterKey(database, secrets)
    database.sealed = new SealedValues(secrets)
    requireCursorKey(database)
    if (claim === 'shared') lock?.release()
    const changes = new ChangeWatch(database)
    const fileGuard = new DatabaseFileGuard(database.path)
    const commits = new GroupCommit(database, {
      ...options,
      changes,
      beforeCommit: () => fileGuard.require(),
      onCommit: committed(database, options),
    })
    const held = claim === 'exclusive' ? lock : undefined
    const { fileQuota = defaultFileQuota } = options
    return assembleStores(
      { database, commits, clock },
      { secrets, changes, fileGuard, fileQuota, lock: held },
    )
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

interface StoreParts {
  readonly secrets: SecretBox
  readonly changes: ChangeSource
  readonly fileGuard: DatabaseFileGuard
  readonly fileQuota: number
  readonly lock: DataDirLock | undefined
}

function assembleStores(context: StoreContext, parts: StoreParts): Stores {
  const { secrets, changes, fileGuard, fileQuota, lock } = parts
  const { database, commits, clock } = context
  const listed = new ListedRows(context)
  const indexer = new AlertIndexer(context, listed)
  const destructiveUses = new SqliteDestructiveUseStore(context)
  const rates = new SqliteRates(context)
  const files = new SqliteCaseFileStore(context, fileQuota)
  let emptied = false
  // Commands leave indexing to the server.
  if (lock !== undefined) indexer.soon()
  return {
    organizations: new SqliteOrganizationStore(context),
    providers: new SqliteProviderStore(context),
    keys: new SqliteKeyStore(context),
    accounts: new SqliteAccountStore(context),
    credentials: new SqliteCredentialStore(context),
    roles: new SqliteRoleStore(context),
    invitations: new SqliteInvitationStore(context),
    sessions: new SqliteSessionStore(context),
    singleSignOn: new SqliteSingleSignOnStore(context),
    requests: new SqliteRequestStore(context),
    sharedFilters: new SqliteSharedFilterStore(context),
    alerts: new SqliteAlertStore(context, indexer, listed),
    cases: new SqliteCaseStore(context, listed, files),
    caseMoves: new SqliteCaseMoveStore(context),
    caseWork: new SqliteCaseWorkStore(context),
    observables: new SqliteObservableStore(context),
    numbers: new SqliteNumberStore(context, listed),
    playbooks: new SqlitePlaybookStore(context),
    runs: new SqliteRunStore(context, rates),
    journal: new SqliteJournalStore(context, destructiveUses, rates),
    journalReader: new SqliteJournalReader(context),
    destructiveUses,
    containments: new SqliteContainmentStore(context),
    checkpoints: new SqliteCheckpointStore(context),
    eventWaits: new SqliteEventWaitStore(context),
    inbound: new SqliteInboundStore(context),
    schedules: new SqliteScheduleStore(context),
    state: new SqliteStateStore(context),
    triggers: new SqliteTriggerStore(context),
    shadows: new SqliteShadowStore(context),
    pause: new SqlitePauseStore(context),
    connections: new SqliteConnectionStore(context, secrets),
    signIns: new SqliteSignInStore(context, secrets),
    audit: new SqliteAuditStore(context),
    retention: new SqliteRetentionStore(context, { destructiveUses, rates, files }),
    changes,
    async probe() {
      await commits.write(() => setFact(database, 'probed_at', clock.now()))
      await probeSpace(dirname(database.path))
    },
    gone() {
      const error = fileGuard.gone()
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
 * Moves acknowledged writes from the write-ahead log into the moved database. A log left behind would be applied to a new file of
 * that name and damage it.
 */
function emptyLog(database: Database): true {
  try {
    database.pragma('wal_checkpoint(TRUNCATE)')
  } catch {
    // The disk may also be unavailable.
  }
  return true
}
