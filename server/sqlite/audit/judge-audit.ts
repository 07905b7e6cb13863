import { verifyChain, type AuditVerdict, type StoredAuditEntry } from '../../../core/audit/audit-chain.ts'
import type { AuditHead } from '../../../core/domain/audit.ts'
import type { Database } from '../database/database.ts'
import { auditTables } from '../schema/audit.ts'

/** `verifyChain`, and two checks that the chain itself cannot make: the log was emptied, or its triggers are missing. */
export function judgeAudit(database: Database, kept?: AuditHead): AuditVerdict {
  const verdict = verifyChain(entriesOf(database), kept)
  if (verdict.broken !== null) return verdict
  if (verdict.entries === 0 && isInUse(database))
    return {
      ...verdict,
      broken: {
        sequence: 1,
        reason: 'all entries are missing, although the database contains objects whose creation was recorded',
      },
    }
  const unguarded = guards.filter((name) => !isAsMade(database, name))
  return unguarded.length === 0 ? verdict : { ...verdict, unguarded }
}

/** The first start records the created key, organization and providers. */
const isInUse = (database: Database): boolean =>
  database.get('SELECT 1 FROM api_keys UNION ALL SELECT 1 FROM organizations LIMIT 1') !== undefined

/** Triggers that prevent changes, deletions and insertions of entries. */
const guards: readonly string[] = [...auditTables.matchAll(/CREATE TRIGGER (\w+)/g)].map(
  ([, name]) => name ?? '',
)

function isAsMade(database: Database, name: string): boolean {
  const trigger = database.get<{ sql: string }>(
    `SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND name = ?`,
    name,
  )
  return trigger !== undefined && auditTables.includes(`${trigger.sql};`)
}

/** Entries per read. */
const batch = 1_000

/** Oldest first. */
function* entriesOf(database: Database): Generator<StoredAuditEntry> {
  for (let last = 0; ;) {
    const rows = database.all<StoredAuditEntry>(
      'SELECT id AS sequence, entry, hash FROM audit WHERE id > ? ORDER BY id LIMIT ?',
      last,
      batch,
    )
    yield* rows
    if (rows.length < batch) return
    last = rows.at(-1)!.sequence
  }
}
