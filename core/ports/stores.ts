import type { ChangeSource } from '../domain/change.ts'
import type { UnavailableError } from '../errors/errors.ts'
import type { AccountStore } from './access/account-store.ts'
import type { CredentialStore } from './access/credential-store.ts'
import type { InvitationStore } from './access/invitation-store.ts'
import type { KeyStore } from './access/key-store.ts'
import type { OrganizationStore } from './access/organization-store.ts'
import type { ProviderStore } from './access/provider-store.ts'
import type { RoleStore } from './access/role-store.ts'
import type { RequestStore } from './access/request-store.ts'
import type { SingleSignOnStore } from './access/single-sign-on-store.ts'
import type { SharedFilterStore } from './access/shared-filter-store.ts'
import type { SessionStore } from './access/session-store.ts'
import type { AlertStore } from './alert-store.ts'
import type { AuditStore } from './audit-store.ts'
import type { CaseWorkStore } from './cases/case-work-store.ts'
import type { CaseMoveStore } from './case-move-store.ts'
import type { CaseStore } from './case-store.ts'
import type { ContainmentStore } from './runs/containment-store.ts'
import type { ConnectionStore } from './connection-store.ts'
import type { NodeStore } from './nodes/node-store.ts'
import type { NumberStore } from './derived/number-store.ts'
import type { NotificationStore } from './derived/notification-store.ts'
import type { ObservableStore } from './derived/observable-store.ts'
import type { PlaybookStore } from './playbook-store.ts'
import type { DraftStore } from './playbooks/draft-store.ts'
import type { RetentionStore } from './retention-store.ts'
import type { SignInStore } from './sign-in-store.ts'
import type { CheckpointStore } from './runs/checkpoint-store.ts'
import type { DestructiveUseStore } from './runs/destructive-use-store.ts'
import type { EventWaitStore } from './runs/event-wait-store.ts'
import type { InboundStore } from './runs/inbound-store.ts'
import type { JournalReader } from './runs/journal-reader.ts'
import type { JournalStore } from './runs/journal-store.ts'
import type { PauseStore } from './runs/pause-store.ts'
import type { RunStore } from './runs/run-store.ts'
import type { ScheduleStore } from './runs/schedule-store.ts'
import type { ShadowStore } from './runs/shadow-store.ts'
import type { StateStore } from './runs/state-store.ts'
import type { TriggerStore } from './runs/trigger-store.ts'

/**
 * All stores. Adapters live in `server`; each must pass the contract suite of every port (test/contract). Operations are atomic:
 * when the promise resolves, everything is durable; when it rejects, nothing happened. The organization is a required argument,
 * and so is the actor (`by`) of an audited action, whose entry is part of the same write.
 */
export interface Stores {
  readonly organizations: OrganizationStore
  readonly providers: ProviderStore
  readonly keys: KeyStore
  readonly accounts: AccountStore
  readonly credentials: CredentialStore
  readonly roles: RoleStore
  readonly invitations: InvitationStore
  readonly sessions: SessionStore
  readonly singleSignOn: SingleSignOnStore
  readonly requests: RequestStore
  readonly sharedFilters: SharedFilterStore
  readonly alerts: AlertStore
  readonly cases: CaseStore
  readonly caseMoves: CaseMoveStore
  readonly caseWork: CaseWorkStore
  readonly observables: ObservableStore
  readonly numbers: NumberStore
  readonly notifications: NotificationStore
  readonly playbooks: PlaybookStore
  readonly drafts: DraftStore
  readonly runs: RunStore
  readonly journal: JournalStore
  readonly journalReader: JournalReader
  readonly destructiveUses: DestructiveUseStore
  readonly containments: ContainmentStore
  readonly checkpoints: CheckpointStore
  readonly eventWaits: EventWaitStore
  readonly inbound: InboundStore
  readonly schedules: ScheduleStore
  readonly state: StateStore
  readonly triggers: TriggerStore
  readonly shadows: ShadowStore
  readonly pause: PauseStore
  readonly connections: ConnectionStore
  readonly signIns: SignInStore
  readonly audit: AuditStore
  readonly nodes: NodeStore
  readonly retention: RetentionStore
  /** Changes by this process. */
  readonly changes: ChangeSource
  /** Another node has changed keys, accounts, roles, organizations or connections: what is cached of them is read again. */
  forgetConfiguration(): void
  /** Size of the database in bytes, if it has no files in the data directory. Reads much: not to be called often. */
  databaseBytes(): Promise<number | undefined>
  /** Does a write transaction; rejects with UnavailableError when the store cannot take one. */
  probe(): Promise<void>
  /**
   * The error of every write when the database files were deleted, moved or replaced, or another process has taken over; undefined
   * while neither happened.
   */
  gone(): UnavailableError | undefined
  /** Commits pending writes and closes the files. Later calls reject. */
  close(): Promise<void>
}
