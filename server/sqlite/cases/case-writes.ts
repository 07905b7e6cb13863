import { ConflictError } from '../../../core/errors/errors.ts'
import type { Database } from '../database/database.ts'
import type { OrganizationKey } from '../access/organization-store.ts'

export type CaseOperation = 'create' | 'update' | 'comment'

export interface CaseWriteRow {
  readonly operation: CaseOperation
  readonly row: number
  readonly entryRow: number | null
}

/** What a write with this key has made. Throws ConflictError `idempotency_key_reused` for a key that belongs to another kind of write. */
export function findCaseWrite(
  database: Database,
  organization: OrganizationKey,
  operation: CaseOperation,
  key: string,
): CaseWriteRow | undefined {
  const found = database.get<CaseWriteRow>(
    `SELECT operation, case_id AS row, entry_id AS entryRow FROM case_writes
     WHERE organization_id = ? AND idempotency_key = ?`,
    organization.id,
    key,
  )
  if (found !== undefined && found.operation !== operation) throw keyReused(key)
  return found
}

/** In the transaction of the write itself: neither is there without the other. */
export function keepCaseWrite(
  database: Database,
  organization: OrganizationKey,
  operation: CaseOperation,
  key: string,
  row: number,
  entryRow: number | null,
): void {
  database.run(
    'INSERT INTO case_writes (organization_id, idempotency_key, operation, case_id, entry_id) VALUES (?, ?, ?, ?, ?)',
    organization.id,
    key,
    operation,
    row,
    entryRow,
  )
}

export const keyReused = (key: string): ConflictError =>
  new ConflictError('idempotency_key_reused', `the key '${key.slice(0, 64)}' belongs to another write`)
