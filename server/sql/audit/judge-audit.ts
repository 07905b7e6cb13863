import { verifyChain, type AuditVerdict, type StoredAuditEntry } from '../../../core/audit/audit-chain.ts'
import type { AuditHead } from '../../../core/domain/audit.ts'
import type { Database } from '../database/database.ts'
import type { Work } from '../database/work.ts'

/** `verifyChain`, and two checks that the chain itself cannot make: the log was emptied, or its triggers are missing. */
export function* judgeAudit(database: Database, kept?: AuditHead): Work<AuditVerdict> {
  const verdict = yield* verifyStored(database, kept)
  if (verdict.broken !== null) return verdict
  if (verdict.entries === 0 && (yield* isInUse(database)))
    return {
      ...verdict,
      broken: {
        sequence: 1,
        reason: 'all entries are missing, although the database contains objects whose creation was recorded',
      },
    }
  const unguarded = yield* database.unguardedAudit()
  return unguarded.length === 0 ? verdict : { ...verdict, unguarded }
}

/** The first start records the created key, organization and providers. */
function* isInUse(database: Database): Work<boolean> {
  return (
    (yield* database.get('SELECT 1 FROM api_keys UNION ALL SELECT 1 FROM organizations LIMIT 1')) !==
    undefined
  )
}

/** Entries per read. */
const batch = 1_000

function* verifyStored(database: Database, kept: AuditHead | undefined): Work<AuditVerdict> {
  let head: AuditHead | null = null
  for (;;) {
    const entries: readonly StoredAuditEntry[] = yield* database.all<StoredAuditEntry>(
      'SELECT id AS sequence, entry, hash FROM audit WHERE id > ? ORDER BY id LIMIT ?',
      head?.sequence ?? 0,
      batch,
    )
    const isLast = entries.length < batch
    const isReached = kept !== undefined && (entries.at(-1)?.sequence ?? 0) >= kept.sequence
    const verdict = verifyChain(entries, isLast || isReached ? kept : undefined, head)
    if (isLast || verdict.broken !== null) return verdict
    head = verdict.head
  }
}
