import {
  beginning,
  hashEntry,
  type AuditVerdict,
  type StoredAuditEntry,
} from '../../../core/audit/audit-chain.ts'
import { canonicalJson } from '../../../core/audit/canonical-json.ts'
import type {
  Actor,
  AuditAction,
  AuditEntry,
  ExportCursor,
  AuditFilter,
  AuditHead,
  AuditRecord,
  NewAuditEntry,
} from '../../../core/domain/audit.ts'
import type { AuditStore } from '../../../core/ports/audit-store.ts'
import type { Page, PageRequest, Scope } from '../../../core/ports/common.ts'
import type { Database } from '../database/database.ts'
import { judgeAudit } from './judge-audit.ts'
import { listPage, type Condition } from '../database/paging.ts'
import type { StoreContext } from '../context/store-context.ts'

interface AuditRow {
  readonly id: number
  readonly entry: string
  readonly hash: string
}

/** Inside of the write that does what is recorded: both are there, or neither is. */
export function recordAudit(
  { database, clock }: Pick<StoreContext, 'database' | 'clock'>,
  given: NewAuditEntry,
): void {
  const before = headOf(database)
  const { requestId, ...actor } = given.by
  const record: AuditRecord = {
    sequence: (before?.sequence ?? 0) + 1,
    at: clock.now(),
    action: given.action,
    actor,
    request_id: requestId,
    organization_uuid: given.organizationUuid,
    organization_code: given.organizationUuid === null ? null : codeOf(database, given.organizationUuid),
    subject: given.subject,
    details: given.details ?? {},
  }
  const entry = canonicalJson(record)
  // `id` is given, so that the trigger sees it.
  database.run(
    'INSERT INTO audit (id, entry, hash) VALUES (?, ?, ?)',
    record.sequence,
    entry,
    hashEntry(before?.hash, entry),
  )
}

/** Undefined: nothing was recorded yet. */
export function headOf(database: Database): AuditHead | undefined {
  return database.get<AuditHead>('SELECT id AS sequence, hash FROM audit ORDER BY id DESC LIMIT 1')
}

function codeOf(database: Database, organizationUuid: string): string | null {
  const found = database.get<{ code: string }>(
    'SELECT code FROM organizations WHERE uuid = ?',
    organizationUuid,
  )
  return found?.code ?? null
}

export class SqliteAuditStore implements AuditStore {
  readonly #context: StoreContext

  constructor(context: StoreContext) {
    this.#context = context
  }

  record(entry: NewAuditEntry): Promise<void> {
    return this.#context.commits.write(() => recordAudit(this.#context, entry))
  }

  list(scope: Scope, filter: AuditFilter, page: PageRequest): Promise<Page<AuditEntry>> {
    const { database } = this.#context
    return database.read(() =>
      listPage<AuditRow, AuditEntry>(database, {
        name: 'audit',
        table: 'audit t',
        select: 'SELECT t.id, t.entry, t.hash FROM audit t',
        conditions: [...scoped(scope), ...conditionsOf(filter)],
        page,
        toItem: ({ entry, hash }) => ({ ...(JSON.parse(entry) as AuditRecord), hash }),
      }),
    )
  }

  head(): Promise<AuditHead | undefined> {
    const { database } = this.#context
    return database.read(() => headOf(database))
  }

  after(sequence: number, limit: number): Promise<readonly StoredAuditEntry[]> {
    const { database } = this.#context
    return database.read(() =>
      database.all<StoredAuditEntry>(
        'SELECT id AS sequence, entry, hash FROM audit WHERE id > ? ORDER BY id LIMIT ?',
        sequence,
        limit,
      ),
    )
  }

  exportCursors(): Promise<readonly ExportCursor[]> {
    const { database } = this.#context
    return database.read(() => database.all<ExportCursor>(`${selectCursor} ORDER BY destination`))
  }

  startExport(destination: string, by: Actor): Promise<ExportCursor> {
    const { database, commits, clock } = this.#context
    return commits.write(() => {
      const known = database.get<ExportCursor>(`${selectCursor} WHERE destination = ?`, destination)
      if (known !== undefined) return known
      const cursor = { destination, sequence: 0, hash: beginning, at: clock.now() }
      database.run('INSERT INTO audit_exports VALUES (?, ?, ?, ?)', ...Object.values(cursor))
      recordExport(this.#context, 'audit.export_started', destination, by)
      return cursor
    })
  }

  stopExport(destination: string, by: Actor): Promise<void> {
    return this.#context.commits.write(() => {
      this.#context.database.run('DELETE FROM audit_exports WHERE destination = ?', destination)
      recordExport(this.#context, 'audit.export_stopped', destination, by)
    })
  }

  async moveExport(destination: string, { sequence, hash }: AuditHead): Promise<void> {
    const { database, commits, clock } = this.#context
    await commits.write(() =>
      database.run(
        'UPDATE audit_exports SET sequence = ?, hash = ?, at = ? WHERE destination = ?',
        sequence,
        hash,
        clock.now(),
        destination,
      ),
    )
  }

  verify(kept?: AuditHead): Promise<AuditVerdict> {
    const { database } = this.#context
    return database.read(() => judgeAudit(database, kept))
  }
}

const selectCursor = 'SELECT destination, sequence, hash, at FROM audit_exports'

function recordExport(context: StoreContext, action: AuditAction, destination: string, by: Actor): void {
  const subject = { kind: 'data', id: destination, name: destination } as const
  recordAudit(context, { action, by, organizationUuid: null, subject })
}

/** What concerns no single organization is for those who see all of them. */
function scoped(scope: Scope): readonly Condition[] {
  if (scope === 'all') return []
  const [only] = scope
  // Equality keeps the rows of the index in their order; so does the `+`, which keeps the index away.
  if (scope.length === 1 && only !== undefined) return [{ sql: 't.organization_uuid = ?', values: [only] }]
  const isListed = 't.organization_uuid IN (SELECT value FROM json_each(?))'
  return [{ sql: isListed, sqlInOrder: `+${isListed}`, values: [JSON.stringify(scope)] }]
}

function conditionsOf(filter: AuditFilter): readonly Condition[] {
  const { action, actor, subject, after, before } = filter
  return [
    ...(action === undefined ? [] : [{ sql: 't.action = ?', values: [action] }]),
    ...(actor === undefined ? [] : [{ sql: '(t.actor_id = ? OR t.actor_name = ?)', values: [actor, actor] }]),
    ...(subject === undefined ? [] : [{ sql: 't.subject_id = ?', values: [subject] }]),
    ...(after === undefined ? [] : [{ sql: 't.at >= ?', values: [after] }]),
    ...(before === undefined ? [] : [{ sql: 't.at < ?', values: [before] }]),
  ]
}
