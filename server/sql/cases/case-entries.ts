import type { Work } from '../database/work.ts'
import type { Actor } from '../../../core/domain/audit.ts'
import type { Mention } from '../../../core/case/mentions.ts'
import type { ApiCaseChanges, CaseAction, CaseEntry } from '../../../core/domain/case.ts'
import type { NewCaseEntry } from '../../../core/transitions/timeline.ts'
import { fromJson, toJson } from '../database/columns.ts'
import type { Database } from '../database/database.ts'

const insert = `INSERT INTO case_entries (case_id, at, author_kind, author_id, author, request_id, kind, text, changes, action, mentions)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

export function* insertEntry(database: Database, caseRow: number, entry: NewCaseEntry): Work<void> {
  yield* database.send(insert, ...valuesOf(caseRow, entry))
}

/** As `insertEntry`. Gives the key of the new row. */
export function* insertEntryForKey(database: Database, caseRow: number, entry: NewCaseEntry): Work<number> {
  return yield* database.insert(insert, ...valuesOf(caseRow, entry))
}

const valuesOf = (caseRow: number, entry: NewCaseEntry) => [
  caseRow,
  entry.at,
  entry.by.kind,
  entry.by.id,
  entry.by.name,
  entry.by.requestId,
  entry.kind,
  entry.text,
  entry.changes === null ? null : toJson(entry.changes),
  entry.action === null ? null : toJson(entry.action),
  entry.mentions.length === 0 ? null : toJson(entry.mentions),
]

export interface CaseEntryRow extends Pick<CaseEntry, 'at' | 'request_id' | 'kind' | 'text'> {
  readonly id: number
  readonly authorKind: Actor['kind']
  readonly authorId: string
  readonly author: string
  readonly changes: string | null
  readonly action: string | null
  readonly mentions: string | null
}

export const selectCaseEntry = `SELECT t.id, t.at, t.author_kind AS "authorKind", t.author_id AS "authorId", t.author, t.request_id,
  t.kind, t.text, t.changes, t.action, t.mentions FROM case_entries t`

export function toCaseEntry(row: CaseEntryRow): CaseEntry {
  const { at, authorKind, authorId, author, request_id, kind, text } = row
  const actor = { kind: authorKind, id: authorId, name: author }
  const action = fromJson<CaseAction>(row.action)
  const changes = fromJson<ApiCaseChanges>(row.changes)
  const mentions = fromJson<readonly Mention[]>(row.mentions) ?? []
  return { at, actor, request_id, kind, text, changes, action, mentions }
}

export function* caseEntryByRow(database: Database, row: number): Work<CaseEntry> {
  return toCaseEntry(yield* database.one<CaseEntryRow>(`${selectCaseEntry} WHERE t.id = ?`, row))
}
