import type { ChangeSource } from '../../core/domain/change.ts'
import type { Stores } from '../../core/ports/stores.ts'
import type { FileLimits } from '../../core/transitions/case-files.ts'
import type { SecretBox } from '../secrets/secret-box.ts'
import { AlertIndexer } from './alerts/alert-indexer.ts'
import { SqlAlertStore } from './alerts/alert-store.ts'
import { SqlAuditStore } from './audit/audit-log.ts'
import { SqlCaseFileStore } from './cases/case-file-store.ts'
import { SqlCaseMoveStore } from './cases/case-move-store.ts'
import { SqlCaseWorkStore } from './cases/case-work-store.ts'
import { SqlCaseStore } from './cases/case-store.ts'
import { SqlContainmentStore } from './containments/containment-store.ts'
import { SqlCheckpointStore } from './checkpoints/checkpoint-store.ts'
import { SqlConnectionStore } from './connections/connection-store.ts'
import { SqlSignInStore } from './connections/sign-in-store.ts'
import { SqlRates } from './limits/rates.ts'
import { SqlDestructiveUseStore } from './checkpoints/destructive-uses.ts'
import { SqlEventWaitStore } from './events/event-wait-store.ts'
import { SqlInboundStore } from './connections/inbound-store.ts'
import { SqlJournalStore } from './journal/journal-store.ts'
import { SqlAccountStore } from './access/account-store.ts'
import { SqlCredentialStore } from './access/credential-store.ts'
import { SqlInvitationStore } from './access/invitation-store.ts'
import { SqlKeyStore } from './access/key-store.ts'
import { SqlJournalReader } from './journal/journal-reader.ts'
import { ListedRows } from './context/listed-rows.ts'
import { SqlNotificationStore } from './notifications/notification-store.ts'
import { SqlNodeStore, type Membership } from './nodes/node-store.ts'
import { SqlNumberStore } from './numbers/number-store.ts'
import { SqlObservableStore } from './observables/observable-store.ts'
import { SqlOrganizationStore } from './access/organization-store.ts'
import { SqlPauseStore } from './runs/pause-store.ts'
import { SqlDraftStore } from './playbooks/draft-store.ts'
import { SqlPlaybookStore } from './playbooks/playbook-store.ts'
import { SqlProviderStore } from './access/provider-store.ts'
import { SqlRoleStore } from './access/role-store.ts'
import { SqlRequestStore } from './access/request-store.ts'
import { SqlRetentionStore } from './retention/retention-store.ts'
import { SqlRunStore } from './runs/run-store.ts'
import { SqlTriggerStore } from './triggers/trigger-store.ts'
import { SqlScheduleStore } from './runs/schedule-store.ts'
import { SqlShadowStore } from './shadows/shadow-store.ts'
import { SqlStateStore } from './playbooks/state-store.ts'
import { SqlSingleSignOnStore } from './access/single-sign-on-store.ts'
import { SqlSharedFilterStore } from './access/shared-filter-store.ts'
import { SqlSessionStore } from './access/session-store.ts'
import type { StoreContext } from './context/store-context.ts'

export interface StoreParts {
  readonly secrets: SecretBox
  readonly changes: ChangeSource
  readonly membership: Membership
  readonly fileLimits: FileLimits
  /** Index alerts and rows of lists in the background. Commands leave that to the server. */
  readonly isIndexing: boolean
}

export type SqlStores = Omit<Stores, 'probe' | 'gone' | 'forgetConfiguration' | 'databaseBytes'>

/** The stores over any database. `close` ends their work in the background. */
export function assembleStores(context: StoreContext, parts: StoreParts): SqlStores {
  const { secrets, changes, membership, fileLimits, isIndexing } = parts
  const listed = new ListedRows(context)
  const indexer = new AlertIndexer(context, listed)
  const destructiveUses = new SqlDestructiveUseStore(context)
  const rates = new SqlRates(context)
  const files = new SqlCaseFileStore(context, fileLimits)
  if (isIndexing) indexer.soon()
  return {
    organizations: new SqlOrganizationStore(context),
    providers: new SqlProviderStore(context),
    keys: new SqlKeyStore(context),
    accounts: new SqlAccountStore(context),
    credentials: new SqlCredentialStore(context),
    roles: new SqlRoleStore(context),
    invitations: new SqlInvitationStore(context),
    sessions: new SqlSessionStore(context),
    singleSignOn: new SqlSingleSignOnStore(context),
    requests: new SqlRequestStore(context),
    sharedFilters: new SqlSharedFilterStore(context),
    alerts: new SqlAlertStore(context, indexer, listed),
    cases: new SqlCaseStore(context, listed, files),
    caseMoves: new SqlCaseMoveStore(context),
    caseWork: new SqlCaseWorkStore(context),
    observables: new SqlObservableStore(context),
    notifications: new SqlNotificationStore(context),
    numbers: new SqlNumberStore(context, listed),
    playbooks: new SqlPlaybookStore(context),
    drafts: new SqlDraftStore(context),
    runs: new SqlRunStore(context, rates),
    journal: new SqlJournalStore(context, destructiveUses, rates),
    journalReader: new SqlJournalReader(context),
    destructiveUses,
    containments: new SqlContainmentStore(context),
    checkpoints: new SqlCheckpointStore(context),
    eventWaits: new SqlEventWaitStore(context),
    inbound: new SqlInboundStore(context),
    schedules: new SqlScheduleStore(context),
    state: new SqlStateStore(context),
    triggers: new SqlTriggerStore(context),
    shadows: new SqlShadowStore(context),
    pause: new SqlPauseStore(context),
    connections: new SqlConnectionStore(context, secrets),
    signIns: new SqlSignInStore(context, secrets),
    audit: new SqlAuditStore(context),
    nodes: new SqlNodeStore(context, membership),
    retention: new SqlRetentionStore(context, { destructiveUses, rates, files }),
    changes,
    close: () => indexer.close(),
  }
}
