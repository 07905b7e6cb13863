import type { Work } from '../database/work.ts'
import type { Actor, AuditAction } from '../../../core/domain/audit.ts'
import type { CaseAttachment } from '../../../core/domain/case.ts'
import type { Database } from '../database/database.ts'
import { recordAudit } from '../audit/audit-log.ts'
import type { StoreContext } from '../context/store-context.ts'
import { toCase, type CaseRow } from './case-rows.ts'
import { selectContent, type StoredContent } from './file-contents.ts'

export interface FileRow extends Omit<CaseAttachment, 'addedBy' | 'deletedBy'> {
  readonly id: number
  readonly content: number | null
  readonly authorKind: Actor['kind']
  readonly authorId: string
  readonly author: string
  readonly deletedByKind: Actor['kind'] | null
  readonly deletedById: string | null
  readonly deletedBy: string | null
}

export const selectFile = `SELECT t.id, t.sha256, t.name, t.content_type AS "contentType", t.detected_type AS "detectedType", t.size, t.at AS "addedAt",
  t.author_kind AS "authorKind", t.author_id AS "authorId", t.author, t.content_id AS content, t.deleted_at AS "deletedAt",
  t.deleted_by_kind AS "deletedByKind", t.deleted_by_id AS "deletedById", t.deleted_by AS "deletedBy",
  t.deleted_reason AS "deletedReason" FROM case_files t`

export function toFile(row: FileRow): CaseAttachment {
  const { sha256, name, contentType, detectedType, size, addedAt, deletedAt, deletedReason } = row
  const addedBy = { kind: row.authorKind, id: row.authorId, name: row.author }
  const { deletedByKind: kind, deletedById: id, deletedBy: by } = row
  const deletedBy = kind === null ? null : { kind, id: id ?? '', name: by ?? '' }
  return {
    sha256,
    name,
    contentType,
    detectedType,
    size,
    addedAt,
    addedBy,
    deletedAt,
    deletedBy,
    deletedReason,
  }
}

/** The file of the case into which this case was merged, if it was. */
export const findFileRow = (database: Database, row: CaseRow, sha256: string): Work<FileRow | undefined> =>
  database.get<FileRow>(`${selectFile} WHERE t.case_id = ? AND t.sha256 = ?`, row.mergedRow ?? row.id, sha256)

export const contentOfFile = (database: Database, file: number): Work<StoredContent | undefined> =>
  database.get<StoredContent>(
    `${selectContent} JOIN case_files t ON t.content_id = b.id WHERE t.id = ?`,
    file,
  )

/** The row of a content that all files of the organization share. */
export function* storedContent(
  database: Database,
  organization: number,
  sha256: string,
): Work<number | undefined> {
  return (yield* database.get<{ readonly id: number }>(
    `SELECT id FROM file_contents WHERE organization_id = ? AND sha256 = ? AND state = 'stored'`,
    organization,
    sha256,
  ))?.id
}

/** Bytes of the files of a case. */
export function* bytesOfCase(database: Database, row: CaseRow): Work<number> {
  return (yield* database.one<{ readonly used: number }>(
    'SELECT coalesce(sum(size), 0) AS used FROM case_files WHERE case_id = ? AND content_id IS NOT NULL',
    row.id,
  )).used
}

/** What is known of a content when all of it has arrived. */
export interface ArrivedContent {
  readonly sha256: string
  readonly size: number
  readonly detectedType: string | null
}

interface NewFileRow extends ArrivedContent {
  readonly name: string
  readonly contentType: string
  readonly caseRow: number
  readonly content: number
  readonly at: number
  readonly by: Actor
}

/** Inside of a write. A file whose content was deleted comes back. */
export function* insertFileRow(database: Database, file: NewFileRow): Work<void> {
  const { caseRow, sha256, size, name, contentType, detectedType, content, at, by } = file
  const values = [
    caseRow,
    sha256,
    size,
    name,
    contentType,
    detectedType,
    content,
    at,
    by.kind,
    by.id,
    by.name,
  ]
  yield* database.run(
    `INSERT INTO case_files
       (case_id, sha256, size, name, content_type, detected_type, content_id, at, author_kind, author_id, author)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (case_id, sha256) DO UPDATE SET deleted_at = NULL,
     name = excluded.name, content_type = excluded.content_type, detected_type = excluded.detected_type,
     content_id = excluded.content_id, at = excluded.at, author_kind = excluded.author_kind,
     author_id = excluded.author_id, author = excluded.author, deleted_by_kind = NULL, deleted_by_id = NULL,
     deleted_by = NULL, deleted_reason = NULL`,
    ...values,
  )
}

/** Inside of a write. */
export function* withdrawFileRow(
  database: Database,
  file: number,
  { at, by, reason }: { readonly at: number; readonly by: Actor; readonly reason: string },
): Work<void> {
  yield* database.run(
    `UPDATE case_files SET content_id = NULL, deleted_at = ?, deleted_by_kind = ?, deleted_by_id = ?, deleted_by = ?,
     deleted_reason = ? WHERE id = ?`,
    at,
    by.kind,
    by.id,
    by.name,
    reason,
    file,
  )
}

/** Inside of the write. */
export function* recordFile(
  context: StoreContext,
  action: AuditAction,
  row: CaseRow,
  by: Actor,
  details: Readonly<Record<string, string>>,
): Work<void> {
  const { id, title: name, organizationUuid } = toCase(row)
  const subject = { kind: 'case', id, name } as const
  yield* recordAudit(context, { action, by, organizationUuid, subject, details })
}
