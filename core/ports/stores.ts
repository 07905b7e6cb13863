import type { ChangeSource } from '../domain/change.ts'
import type { UnavailableError } from '../errors/errors.ts'
import type { KeyStore } from './access/key-store.ts'
import type { OrganizationStore } from './access/organization-store.ts'
import type { ProviderStore } from './access/provider-store.ts'
import type { RequestStore } from './access/request-store.ts'
import type { SessionStore } from './access/session-store.ts'
import type { AlertStore } from './alert-store.ts'
import type { AuditStore } from './audit-store.ts'
import type { CaseStore } from './case-store.ts'
import type { ConnectionStore } from './connection-store.ts'
import type { PlaybookStore } from './playbook-store.ts'
import type { RetentionStore } from './retention-store.ts'
import type { CheckpointStore } from './runs/checkpoint-store.ts'
import type { DestructiveUseStore } from './runs/destructive-use-store.ts'
import type { InboundStore } from './runs/inbound-store.ts'
import type { LineStore } from './runs/journal-reader.ts'
import type { JournalStore } from './runs/journal-store.ts'
import type { PauseStore } from './runs/pause-store.ts'
import type { RunStore } from './runs/run-store.ts'
import type { ScheduleStore } from './runs/schedule-store.ts'

/**
 * Everything that is stored. Adapters live in `server`; each port has one contract test suite (test/contract) that every adapter
 * must pass. All store operations are atomic: when the promise resolves, all of it is durable; when it rejects, none of it
 * happened. The organization is an argument that cannot be left out, and so is who does it (`by`) where the audit log records
 * it: the entry is written with the action, or neither is.
 */
export interface Stores {
  readonly organizations: OrganizationStore
  readonly providers: ProviderStore
  readonly keys: KeyStore
  readonly sessions: SessionStore
  readonly requests: RequestStore
  readonly alerts: AlertStore
  readonly cases: CaseStore
  readonly playbooks: PlaybookStore
  readonly runs: RunStore
  readonly journal: JournalStore
  readonly lines: LineStore
  readonly destructiveUses: DestructiveUseStore
  readonly checkpoints: CheckpointStore
  readonly inbound: InboundStore
  readonly schedules: ScheduleStore
  readonly pause: PauseStore
  readonly connections: ConnectionStore
  readonly audit: AuditStore
  readonly retention: RetentionStore
  /** What is written by this process. */
  readonly changes: ChangeSource
  /** Does a write transaction; rejects with UnavailableError when the store cannot take one. */
  probe(): Promise<void>
  /**
   * Why nothing that is written from now on would be found again: the files were deleted, moved or replaced. All writes are refused
   * with it. Undefined while they are where they were opened.
   */
  gone(): UnavailableError | undefined
  /** Commits what is under way and lets go of the files. Later calls reject. */
  close(): Promise<void>
}
