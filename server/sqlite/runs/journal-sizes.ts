import type { ExcerptLimits } from '../../../core/ports/runs/journal-store.ts'
import type { Database } from '../database/database.ts'
import { runWithJournal } from './reruns.ts'

interface Size {
  readonly id: number
  /** Of input and output. */
  readonly bytes: number
}

/** Which lines of a journal an excerpt holds, and how large they are, without reading them; those that matter most first. */
export function journalSizes(
  database: Database,
  runUuid: string,
  { first, newest }: ExcerptLimits,
): { readonly total: number; readonly sizes: readonly Size[] } {
  const { id: run } = database.one<{ id: number | null }>(`SELECT ${runWithJournal} AS id`, runUuid)
  if (run === null) return { total: 0, sizes: [] }
  const { total } = database.one<{ total: number }>(
    'SELECT count(*) AS total FROM journal WHERE run_id = ?',
    run,
  )
  const sizes = database.all<Size>(
    `SELECT id, ifnull(octet_length(input), 0) + ifnull(octet_length(output), 0) AS bytes FROM journal WHERE id IN (
       SELECT * FROM (SELECT id FROM journal WHERE run_id = ? ORDER BY id LIMIT ?)
       UNION SELECT * FROM (SELECT id FROM journal WHERE run_id = ? ORDER BY id DESC LIMIT ?)
       UNION SELECT * FROM (SELECT id FROM journal WHERE run_id = ? AND state = 'unknown' LIMIT ?))
     ORDER BY state = 'unknown' DESC, id DESC`,
    run,
    first,
    run,
    newest,
    run,
    newest,
  )
  return { total, sizes }
}

/** What does not fit any more: the small ones that come after one that is too large still do. */
export function beyond(sizes: readonly Size[], maxBytes: number): readonly number[] {
  let left = maxBytes
  const ids: number[] = []
  for (const { id, bytes } of sizes) {
    if (bytes > left) ids.push(id)
    else left -= bytes
  }
  return ids
}

export const idsOf = (sizes: readonly Size[]): string => JSON.stringify(sizes.map(({ id }) => id))
