import type { Work } from '../database/work.ts'
import type { ExcerptLimits, JournalExcerpt } from '../../../core/ports/runs/journal-store.ts'
import { runWithJournal } from '../runs/reruns.ts'
import type { Database } from '../database/database.ts'
import {
  openedInput,
  openedOutput,
  toEntry,
  toFailedAttempt,
  type EntryRow,
  type FailedAttemptRow,
} from './journal-rows.ts'

const selectExcerpt = `
  SELECT id, path, step_id AS "stepId", kind, state, CASE WHEN emptied THEN NULL ELSE ${openedInput} END AS input,
    CASE WHEN emptied THEN NULL ELSE ${openedOutput} END AS output, error, attempt, started_at AS "startedAt", ended_at AS "endedAt", resolution, sensitive,
    (SELECT uuid FROM runs WHERE id = carried_from) AS "carriedFrom"
  FROM (SELECT *, id IN (SELECT CAST(value AS bigint) FROM json_each(?)) AS emptied FROM journal WHERE id IN (SELECT CAST(value AS bigint) FROM json_each(?))) AS excerpt
  ORDER BY id`

const selectAttempts = `
  SELECT f.path, f.attempt, f.error, f.started_at AS "startedAt", f.ended_at AS "endedAt", f.retry_at AS "retryAt"
  FROM journal j JOIN failed_attempts f ON f.run_id = j.run_id AND f.path = j.path
  WHERE j.id IN (SELECT CAST(value AS bigint) FROM json_each(?)) ORDER BY j.id, f.attempt LIMIT ?`

/** A bounded part of a journal. */
export function* journalExcerpt(
  database: Database,
  runUuid: string,
  limits: ExcerptLimits,
): Work<JournalExcerpt> {
  const { total, sizes } = yield* sizesOf(database, runUuid, limits)
  const emptied = beyond(sizes, limits.bytes)
  const ids = idsOf(sizes)
  const rows = yield* database.all<EntryRow>(selectExcerpt, JSON.stringify(emptied), ids)
  const isEmptied = new Set(emptied)
  return {
    entries: rows.map(toEntry),
    emptied: new Set(rows.filter(({ id }) => isEmptied.has(id)).map(({ path }) => path)),
    failedAttempts: (yield* database.all<FailedAttemptRow>(selectAttempts, ids, limits.first)).map(
      toFailedAttempt,
    ),
    total,
  }
}

interface Size {
  readonly id: number
  /** Of input and output. */
  readonly bytes: number
}

/** Selects the lines of an excerpt by size without reading them, the most important first. */
function* sizesOf(
  database: Database,
  runUuid: string,
  { first, newest }: ExcerptLimits,
): Work<{ readonly total: number; readonly sizes: readonly Size[] }> {
  const { id: run } = yield* database.one<{ id: number | null }>(`SELECT ${runWithJournal} AS id`, runUuid)
  if (run === null) return { total: 0, sizes: [] }
  const { total } = yield* database.one<{ total: number }>(
    'SELECT count(*) AS total FROM journal WHERE run_id = ?',
    run,
  )
  const sizes = yield* database.all<Size>(
    `SELECT id, coalesce(octet_length(input), 0) + coalesce(octet_length(output), 0) AS bytes FROM journal WHERE id IN (
       SELECT * FROM (SELECT id FROM journal WHERE run_id = ? ORDER BY id LIMIT ?) AS first
       UNION SELECT * FROM (SELECT id FROM journal WHERE run_id = ? ORDER BY id DESC LIMIT ?) AS newest
       UNION SELECT * FROM (SELECT id FROM journal WHERE run_id = ? AND state = 'unknown' LIMIT ?) AS undecided)
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

/** Lines that do not fit; smaller lines after a large one may still fit. */
function beyond(sizes: readonly Size[], maxBytes: number): readonly number[] {
  let left = maxBytes
  const ids: number[] = []
  for (const { id, bytes } of sizes) {
    if (bytes > left) ids.push(id)
    else left -= bytes
  }
  return ids
}

const idsOf = (sizes: readonly Size[]): string => JSON.stringify(sizes.map(({ id }) => id))
