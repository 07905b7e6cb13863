import type { Work } from '../database/work.ts'
import type { PrunePlace } from '../../../core/ports/retention-store.ts'
import type { Database } from '../database/database.ts'
import { PieceBudget } from '../database/piece-budget.ts'
import type { PruneTally } from './prune-tally.ts'

interface Candidate {
  readonly id: number
  readonly content: number
  readonly organization: number
}

const candidates = `
  SELECT t.id, t.content_id AS content, c.organization_id AS organization
  FROM case_files t JOIN cases c ON c.id = t.case_id
  WHERE t.id > ? AND t.content_id IS NOT NULL AND c.status = 'closed' AND c.modified_at <= ? ORDER BY t.id LIMIT ?`

/**
 * Inside of a write; see `RetentionStore`. The case keeps the row of the file; `clearContents` deletes its pieces later.
 * Gives the start of the next piece.
 */
export function* pruneFiles(
  database: Database,
  changedBy: number,
  from: PrunePlace | undefined,
  now: number,
  tally: PruneTally,
): Work<PrunePlace | undefined> {
  const budget = new PieceBudget()
  const found = yield* database.all<Candidate>(candidates, from?.row ?? 0, changedBy, budget.rows)
  for (const { id, content, organization } of found) {
    yield* database.run('UPDATE case_files SET content_id = NULL, deleted_at = ? WHERE id = ?', now, id)
    yield* deleteUnused(database, content)
    tally.add(organization, 'files')
  }
  const last = found.at(-1)
  return last && { at: 0, row: last.id }
}

/** Inside of a write: deletes a content that no file has any more. */
export function* deleteUnused(database: Database, id: number): Work<void> {
  yield* database.run(
    `UPDATE file_contents SET state = 'deleting'
     WHERE id = ? AND NOT EXISTS (SELECT 1 FROM case_files WHERE content_id = ?)`,
    id,
    id,
  )
}
