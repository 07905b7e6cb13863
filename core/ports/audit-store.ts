import type { AuditVerdict, StoredAuditEntry } from '../audit/audit-chain.ts'
import type {
  Actor,
  AuditEntry,
  AuditFilter,
  AuditHead,
  ExportCursor,
  NewAuditEntry,
} from '../domain/audit.ts'
import type { Page, PageRequest, Scope } from './common.ts'

/** What was done by whom; see `core/domain/audit.ts`. Entries are only ever added, by the other stores, with what they record. */
export interface AuditStore {
  /** For what is done to the data as a whole. */
  record(entry: NewAuditEntry): Promise<void>
  /** Newest first. What concerns no single organization is shown to the scope `'all'` alone. */
  list(scope: Scope, filter: AuditFilter, page: PageRequest): Promise<Page<AuditEntry>>
  /** The newest entry; undefined while there is none. */
  head(): Promise<AuditHead | undefined>
  /** Entries that follow one, oldest first, as they are stored. */
  after(sequence: number, limit: number): Promise<readonly StoredAuditEntry[]>
  /** Of all destinations that exports were started to. */
  exportCursors(): Promise<readonly ExportCursor[]>
  /** Recorded where the destination is new; it begins with the first entry. */
  startExport(destination: string, by: Actor): Promise<ExportCursor>
  /** Forgets how far it was; recorded. */
  stopExport(destination: string, by: Actor): Promise<void>
  moveExport(destination: string, to: AuditHead): Promise<void>
  /** See `verifyChain`; also broken where a database that is in use has no entry at all. */
  verify(kept?: AuditHead): Promise<AuditVerdict>
}
