import type { Work } from '../database/work.ts'
import { keyReused } from '../../../core/transitions/idempotency.ts'
import type { Database } from '../database/database.ts'
import type { OrganizationKey } from '../access/organization-store.ts'

export type CaseOperation = 'create' | 'update' | 'comment'

export interface CaseWriteRow {
  readonly operation: CaseOperation
  readonly row: number
  readonly entryRow: number | null
}

/** The result of an earlier write with this key. Throws ConflictError `idempotency_key_reused` for a key that belongs to another kind of write. */
export function* findCaseWrite(
  database: Database,
  organization: OrganizationKey,
  operation: CaseOperation,
  key: string,
): Work<CaseWriteRow | undefined> {
  const found = yield* database.get<CaseWriteRow>(
    `SELECT operation, case_id AS row, entry_id AS "entryRow" FROM case_writes
     WHERE organization_id = ? AND idempotency_key = ?`,
    organization.id,
    key,
  )
  if (found !== undefined && found.operation !== operation) throw keyReused(key, 'another write')
  return found
}

/** In the transaction of the write. */
export function* keepCaseWrite(
  database: Database,
  organization: OrganizationKey,
  operation: CaseOperation,
  key: string,
  row: number,
  entryRow: number | null,
): Work<void> {
  yield* database.run(
    'INSERT INTO case_writes (organization_id, idempotency_key, operation, case_id, entry_id) VALUES (?, ?, ?, ?, ?)',
    organization.id,
    key,
    operation,
    row,
    entryRow,
  )
}
