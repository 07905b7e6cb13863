import type { ExcerptLimits, JournalExcerpt } from '../../../core/ports/runs/journal-store.ts'
import type { Database } from '../database/database.ts'
import {
  openedInput,
  openedOutput,
  toEntry,
  toFailedAttempt,
  type EntryRow,
  type FailedAttemptRow,
} from './journal-rows.ts'
import { beyond, idsOf, journalSizes } from './journal-sizes.ts'

const selectExcerpt = `
  SELECT id, path, step_id AS stepId, kind, state, iif(emptied, NULL, ${openedInput}) AS input, iif(emptied, NULL, ${openedOutput}) AS output, error,
    attempt, started_at AS startedAt, ended_at AS endedAt, resolution, sensitive,
    (SELECT uuid FROM runs WHERE id = carried_from) AS carriedFrom
  FROM (SELECT *, id IN (SELECT value FROM json_each(?)) AS emptied FROM journal WHERE id IN (SELECT value FROM json_each(?)))
  ORDER BY id`

const selectAttempts = `
  SELECT f.path, f.attempt, f.error, f.started_at AS startedAt, f.ended_at AS endedAt, f.retry_at AS retryAt
  FROM journal j JOIN failed_attempts f ON f.run_id = j.run_id AND f.path = j.path
  WHERE j.id IN (SELECT value FROM json_each(?)) ORDER BY j.id, f.attempt LIMIT ?`

/** What of a journal can be read at once. */
export function journalExcerpt(database: Database, runUuid: string, limits: ExcerptLimits): JournalExcerpt {
  const { total, sizes } = journalSizes(database, runUuid, limits)
  const emptied = beyond(sizes, limits.bytes)
  const ids = idsOf(sizes)
  const rows = database.all<EntryRow>(selectExcerpt, JSON.stringify(emptied), ids)
  const isEmptied = new Set(emptied)
  return {
    entries: rows.map(toEntry),
    emptied: new Set(rows.filter(({ id }) => isEmptied.has(id)).map(({ path }) => path)),
    failedAttempts: database.all<FailedAttemptRow>(selectAttempts, ids, limits.first).map(toFailedAttempt),
    total,
  }
}
