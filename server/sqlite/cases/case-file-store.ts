import { isInScope } from '../../../core/common/scope.ts'
import type { Actor } from '../../../core/domain/audit.ts'
import type { CaseAttachment } from '../../../core/domain/case.ts'
import type { NewFile } from '../../../core/plugin/index.ts'
import type { CaseFileStore, OpenFile } from '../../../core/ports/case-file-store.ts'
import type { OrganizationScope } from '../../../core/ports/common.ts'
import {
  acceptedFile,
  fileEntry,
  fileNotFound,
  requireQuota,
  requireRoomInCase,
  type AcceptedFile,
} from '../../../core/transitions/case-files.ts'
import { requireOrganization } from '../access/organization-store.ts'
import { updateRow } from '../context/rows.ts'
import { SqliteStore, type StoreContext } from '../context/store-context.ts'
import { insertEntry } from './case-entries.ts'
import { caseForWrite, findCaseRow, type CaseRow } from './case-rows.ts'
import {
  beginContent,
  clearContents,
  insertPiece,
  pieceBytes,
  readPiece,
  selectContent,
  sha256Of,
  type StoredContent,
} from './file-contents.ts'

interface FileRow extends Omit<CaseAttachment, 'addedBy'> {
  readonly id: number
  readonly authorKind: Actor['kind']
  readonly authorId: string
  readonly author: string
}

const selectFile = `SELECT t.id, t.sha256, t.name, t.content_type AS contentType, t.size, t.at AS addedAt,
  t.author_kind AS authorKind, t.author_id AS authorId, t.author, t.deleted_at AS deletedAt FROM case_files t`

type HashedFile = AcceptedFile & { readonly sha256: string; readonly by: Actor }

/** A content that must still be written, or the file if its content was already stored. */
type Begun = { readonly arriving: StoredContent } | { readonly file: CaseAttachment }

export class SqliteCaseFileStore extends SqliteStore implements CaseFileStore {
  readonly #quota: number
  /** Contents that this process writes. */
  readonly #arriving = new Set<number>()

  /** @param quota bytes of each organization */
  constructor(context: StoreContext, quota: number) {
    super(context)
    this.#quota = quota
  }

  async attach(organizationUuid: string, caseId: string, given: NewFile, by: Actor): Promise<CaseAttachment> {
    const accepted = acceptedFile(given)
    const file = { ...accepted, by, sha256: await sha256Of(accepted.bytes) }
    const begun = await this.commits.write(() => this.#begin(organizationUuid, caseId, file))
    if ('file' in begun) return begun.file
    const { arriving } = begun
    try {
      for (let place = 0; place * pieceBytes < file.bytes.length; place++) {
        const piece = file.bytes.subarray(place * pieceBytes, (place + 1) * pieceBytes)
        await this.commits.write(() => insertPiece(this.database, arriving, place, piece))
      }
      return await this.commits.write(() => {
        const row = caseForWrite(this.database, organizationUuid, caseId, by)
        return this.#finish(organizationUuid, row, file, arriving)
      })
    } finally {
      this.#arriving.delete(arriving.id)
    }
  }

  list(scope: OrganizationScope, caseId: string): Promise<readonly CaseAttachment[]> {
    return this.database.read(() => {
      const row = this.#caseIn(scope, caseId)
      if (row === undefined) return []
      const files = `${selectFile} WHERE t.case_id = ? ORDER BY t.id`
      return this.database.all<FileRow>(files, row.mergedRow ?? row.id).map(toFile)
    })
  }

  open(scope: OrganizationScope, caseId: string, sha256: string): Promise<OpenFile | undefined> {
    return this.database.read(() => {
      const row = this.#caseIn(scope, caseId)
      const file = row && this.#fileOf(row, sha256)
      const content = file && this.#contentOf(file.id)
      if (content === undefined) return undefined
      return { ...toFile(file!), content: () => this.#pieces(content, caseId, sha256) }
    })
  }

  /** Inside of a write; see `clearContents`. */
  clearAway(): boolean {
    return clearContents(this.database, this.#arriving)
  }

  async *#pieces(content: StoredContent, caseId: string, sha256: string): AsyncGenerator<Uint8Array> {
    for (let place = 0; place * pieceBytes < content.size; place++) {
      const piece = await this.database.read(() => readPiece(this.database, content, place))
      if (piece === undefined) throw fileNotFound(caseId, sha256)
      yield piece
    }
  }

  #begin(organizationUuid: string, caseId: string, file: HashedFile): Begun {
    const row = caseForWrite(this.database, organizationUuid, caseId, file.by)
    const earlier = this.#fileOf(row, file.sha256)
    if (earlier !== undefined && earlier.deletedAt === null) return { file: toFile(earlier) }
    const { count } = this.database.one<{ readonly count: number }>(
      'SELECT count(*) AS count FROM case_files WHERE case_id = ?',
      row.id,
    )
    requireRoomInCase(count, caseId)
    const { id: organization } = requireOrganization(this.database, organizationUuid)
    const stored = this.#storedContent(organization, file.sha256)
    if (stored !== undefined) return { file: this.#insertFile(row, file, stored) }
    const { used } = this.database.one<{ readonly used: number }>(
      `SELECT ifnull(sum(size), 0) AS used FROM file_contents WHERE organization_id = ? AND state <> 'deleting'`,
      organization,
    )
    const size = file.bytes.length
    requireQuota(used, size, this.#quota)
    const arriving = beginContent(this.database, organization, {
      sha256: file.sha256,
      size,
      now: this.clock.now(),
    })
    this.#arriving.add(arriving.id)
    return { arriving }
  }

  /** The same content may have arrived twice at a time: the first stays. */
  #finish(organizationUuid: string, row: CaseRow, file: HashedFile, arrived: StoredContent): CaseAttachment {
    const { id: organization } = requireOrganization(this.database, organizationUuid)
    const stored = this.#storedContent(organization, file.sha256)
    const state = stored === undefined ? 'stored' : 'deleting'
    this.database.run('UPDATE file_contents SET state = ? WHERE id = ?', state, arrived.id)
    const earlier = this.#fileOf(row, file.sha256)
    if (earlier !== undefined && earlier.deletedAt === null) return toFile(earlier)
    return this.#insertFile(row, file, stored ?? arrived.id)
  }

  #insertFile(row: CaseRow, file: HashedFile, content: number): CaseAttachment {
    const { name, contentType, sha256, by } = file
    const [at, size] = [this.clock.now(), file.bytes.length]
    const values = [row.id, sha256, size, name, contentType, content, at, by.kind, by.id, by.name] as const
    // A file whose content was deleted by the retention policy comes back.
    this.database.run(
      `INSERT INTO case_files (case_id, sha256, size, name, content_type, content_id, at, author_kind, author_id, author)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (case_id, sha256) DO UPDATE SET deleted_at = NULL,
       name = excluded.name, content_type = excluded.content_type, content_id = excluded.content_id, at = excluded.at,
       author_kind = excluded.author_kind, author_id = excluded.author_id, author = excluded.author`,
      ...values,
    )
    insertEntry(this.database, row.id, fileEntry(name, size, sha256, by, at))
    updateRow(this.database, 'cases', row.id, { modifiedAt: at })
    return toFile(this.#fileOf(row, sha256)!)
  }

  #caseIn(scope: OrganizationScope, id: string): CaseRow | undefined {
    const row = findCaseRow(this.database, id)
    return row && isInScope(scope, row.organizationUuid) ? row : undefined
  }

  #fileOf(row: CaseRow, sha256: string): FileRow | undefined {
    const found = `${selectFile} WHERE t.case_id = ? AND t.sha256 = ?`
    return this.database.get<FileRow>(found, row.mergedRow ?? row.id, sha256)
  }

  #contentOf(file: number): StoredContent | undefined {
    return this.database.get<StoredContent>(
      `${selectContent} JOIN case_files t ON t.content_id = b.id WHERE t.id = ?`,
      file,
    )
  }

  #storedContent(organization: number, sha256: string): number | undefined {
    return this.database.get<{ readonly id: number }>(
      `SELECT id FROM file_contents WHERE organization_id = ? AND sha256 = ? AND state = 'stored'`,
      organization,
      sha256,
    )?.id
  }
}

function toFile({ sha256, name, contentType, size, addedAt, deletedAt, ...row }: FileRow): CaseAttachment {
  const addedBy = { kind: row.authorKind, id: row.authorId, name: row.author }
  return { sha256, name, contentType, size, addedAt, addedBy, deletedAt }
}
