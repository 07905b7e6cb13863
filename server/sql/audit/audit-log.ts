import type { Work } from '../database/work.ts'
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
import type { ListPage, ListRequest, OrganizationScope } from '../../../core/ports/common.ts'
import type { Database } from '../database/database.ts'
import { judgeAudit } from './judge-audit.ts'
import { filterBy, listPage, type Condition } from '../database/paging.ts'
import { SqlStore, type StoreContext } from '../context/store-context.ts'

interface AuditRow {
  readonly id: number
  readonly entry: string
  readonly hash: string
}

/** Inside of the write of the audited action. */
export function* recordAudit(
  { database, clock }: Pick<StoreContext, 'database' | 'clock'>,
  given: NewAuditEntry,
): Work<void> {
  yield* database.lock('audit')
  const before = yield* headOf(database)
  const { requestId, ...actor } = given.by
  const record: AuditRecord = {
    sequence: (before?.sequence ?? 0) + 1,
    at: clock.now(),
    action: given.action,
    actor,
    request_id: requestId,
    organization_uuid: given.organizationUuid,
    organization_code:
      given.organizationUuid === null ? null : yield* codeOf(database, given.organizationUuid),
    subject: given.subject,
    details: given.details ?? {},
  }
  const entry = canonicalJson(record)
  // The trigger needs an explicit `id`.
  yield* database.run(
    'INSERT INTO audit (id, entry, hash) VALUES (?, ?, ?)',
    record.sequence,
    entry,
    hashEntry(before?.hash, entry),
  )
}

/** Undefined for an empty log. */
export function* headOf(database: Database): Work<AuditHead | undefined> {
  return yield* database.get<AuditHead>('SELECT id AS sequence, hash FROM audit ORDER BY id DESC LIMIT 1')
}

function* codeOf(database: Database, organizationUuid: string): Work<string | null> {
  const found = yield* database.get<{ code: string }>(
    'SELECT code FROM organizations WHERE uuid = ?',
    organizationUuid,
  )
  return found?.code ?? null
}

export class SqlAuditStore extends SqlStore implements AuditStore {
  record(entry: NewAuditEntry): Promise<void> {
    return this.write(() => recordAudit(this.context, entry))
  }

  list(scope: OrganizationScope, filter: AuditFilter, page: ListRequest): Promise<ListPage<AuditEntry>> {
    return this.read(() =>
      listPage<AuditRow, AuditEntry>(this.database, {
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
    return this.read(() => headOf(this.database))
  }

  after(sequence: number, limit: number): Promise<readonly StoredAuditEntry[]> {
    return this.read(() =>
      this.database.all<StoredAuditEntry>(
        'SELECT id AS sequence, entry, hash FROM audit WHERE id > ? ORDER BY id LIMIT ?',
        sequence,
        limit,
      ),
    )
  }

  exportCursors(): Promise<readonly ExportCursor[]> {
    return this.read(() => this.database.all<ExportCursor>(`${selectCursor} ORDER BY destination`))
  }

  startExport(destination: string, by: Actor): Promise<ExportCursor> {
    return this.write(function* () {
      const known = yield* this.database.get<ExportCursor>(
        `${selectCursor} WHERE destination = ?`,
        destination,
      )
      if (known !== undefined) return known
      const cursor = { destination, sequence: 0, hash: beginning, at: this.clock.now() }
      yield* this.database.run('INSERT INTO audit_exports VALUES (?, ?, ?, ?)', ...Object.values(cursor))
      yield* recordExport(this.context, 'audit.export_started', destination, by)
      return cursor
    })
  }

  stopExport(destination: string, by: Actor): Promise<void> {
    return this.write(function* () {
      yield* this.database.run('DELETE FROM audit_exports WHERE destination = ?', destination)
      yield* recordExport(this.context, 'audit.export_stopped', destination, by)
    })
  }

  async moveExport(destination: string, { sequence, hash }: AuditHead): Promise<void> {
    await this.write(() =>
      this.database.run(
        'UPDATE audit_exports SET sequence = ?, hash = ?, at = ? WHERE destination = ?',
        sequence,
        hash,
        this.clock.now(),
        destination,
      ),
    )
  }

  verify(kept?: AuditHead): Promise<AuditVerdict> {
    return this.read(() => judgeAudit(this.database, kept))
  }
}

const selectCursor = 'SELECT destination, sequence, hash, at FROM audit_exports'

function* recordExport(
  context: StoreContext,
  action: AuditAction,
  destination: string,
  by: Actor,
): Work<void> {
  const subject = { kind: 'data', id: destination, name: destination } as const
  yield* recordAudit(context, { action, by, organizationUuid: null, subject })
}

/** Entries without an organization are visible to the scope `'all'` only. */
function scoped(scope: OrganizationScope): readonly Condition[] {
  if (scope === 'all') return []
  const [only] = scope
  // Equality keeps the order of the index; the `||` keeps SQLite from using the index.
  if (scope.length === 1 && only !== undefined) return [{ sql: 't.organization_uuid = ?', values: [only] }]
  const isListed = 'IN (SELECT value FROM json_each(?))'
  return [
    {
      sql: `t.organization_uuid ${isListed}`,
      sqlInOrder: `(t.organization_uuid || '') ${isListed}`,
      values: [JSON.stringify(scope)],
    },
  ]
}

function conditionsOf({ action, actor, subject, skill, after, before }: AuditFilter): readonly Condition[] {
  return [
    ...filterBy('t.action = ?', action),
    ...(actor === undefined ? [] : [byActor(actor)]),
    ...filterBy('t.subject_id = ?', subject),
    ...filterBy('t.skill = ?', skill),
    ...inTime('at >= ?', '>= (SELECT min(+id)', after),
    ...inTime('at < ?', '<= (SELECT max(+id)', before),
  ]
}

/** By id or name, each with its own index: their numbers joined in order for a page, and the rows for counting. */
const byActor = (actor: string): Condition => ({
  sql: '(t.actor_id = ? OR t.actor_name = ?)',
  sqlInOrder:
    't.id IN (SELECT id FROM audit WHERE actor_id = ? UNION SELECT id FROM audit WHERE actor_name = ?)',
  values: [actor, actor],
})

/**
 * Entries of a time. Their numbers are in nearly the same order, so the bound of the numbers leads to the first row of a page; all
 * entries of that time are within it, also if the clock was set back. Counting reads the index of times, because of the `+`.
 */
function inTime(isThen: string, bound: string, time: number | undefined): readonly Condition[] {
  if (time === undefined) return []
  const isNumbered = `t.id ${bound} FROM audit WHERE ${isThen})`
  return [
    {
      sql: `t.${isThen} AND +${isNumbered}`,
      sqlInOrder: `t.${isThen} AND ${isNumbered}`,
      values: [time, time],
    },
  ]
}
