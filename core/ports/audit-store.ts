import type { AuditVerdict, StoredAuditEntry } from '../audit/audit-chain.ts'
import type {
  Actor,
  AuditEntry,
  AuditFilter,
  AuditHead,
  ExportCursor,
  NewAuditEntry,
} from '../domain/audit.ts'
import type { ListPage, ListRequest, OrganizationScope } from './common.ts'

/** The audit log; see `core/domain/audit.ts`. The other stores add entries in the same write as the audited action. */
export interface AuditStore {
  /** Records an action on the whole database, such as a backup. */
  record(entry: NewAuditEntry): Promise<void>
  /** Newest first. Only the scope `'all'` sees entries without an organization. */
  list(scope: OrganizationScope, filter: AuditFilter, page: ListRequest): Promise<ListPage<AuditEntry>>
  /** The newest entry; undefined for an empty log. */
  head(): Promise<AuditHead | undefined>
  /** The stored entries after one, oldest first. */
  after(sequence: number, limit: number): Promise<readonly StoredAuditEntry[]>
  /** The position of every export. */
  exportCursors(): Promise<readonly ExportCursor[]>
  /** Starts an export at the first entry, and records that; an existing export continues. */
  startExport(destination: string, by: Actor): Promise<ExportCursor>
  /** Forgets the position of an export, and records that. */
  stopExport(destination: string, by: Actor): Promise<void>
  moveExport(destination: string, to: AuditHead): Promise<void>
  /** See `verifyChain`. An empty log of a database in use is broken too. */
  verify(kept?: AuditHead): Promise<AuditVerdict>
}
