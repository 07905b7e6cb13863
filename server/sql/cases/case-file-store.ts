import type { Work } from '../database/work.ts'
import { createHash } from 'node:crypto'
import { timesAfter } from '../../../core/case/case-times.ts'
import { detectedTypeOf } from '../../../core/case/file-type.ts'
import { isInScope } from '../../../core/common/scope.ts'
import type { Actor } from '../../../core/domain/audit.ts'
import type { CaseAttachment } from '../../../core/domain/case.ts'
import type { NewFile } from '../../../core/plugin/index.ts'
import type {
  CaseFileStore,
  FileUpload,
  OpenFile,
  UploadedFile,
} from '../../../core/ports/case-file-store.ts'
import type { OrganizationScope } from '../../../core/ports/common.ts'
import {
  acceptedFile,
  fileEntry,
  fileNotFound,
  requireFileSize,
  requireRoomFor,
  requireRoomInCase,
  sizeText,
  withdrawnEntry,
  type AcceptedFile,
  type FileLimits,
} from '../../../core/transitions/case-files.ts'
import type { NewCaseEntry } from '../../../core/transitions/timeline.ts'
import { requireOrganization } from '../access/organization-store.ts'
import { updateRow } from '../context/rows.ts'
import { SqlStore, type StoreContext } from '../context/store-context.ts'
import { deleteUnused } from '../retention/prune-files.ts'
import { claims } from '../database/request-claims.ts'
import { insertEntry } from './case-entries.ts'
import {
  bytesOfCase,
  contentOfFile,
  findFileRow,
  insertFileRow,
  recordFile,
  selectFile,
  storedContent,
  toFile,
  withdrawFileRow,
  type ArrivedContent,
  type FileRow,
} from './case-file-rows.ts'
import { caseForWrite, findCaseRow, type CaseRow } from './case-rows.ts'
import {
  beginContent,
  clearContents,
  giveUpContent,
  growContent,
  inPieces,
  insertPiece,
  pieceBytes,
  readPiece,
  sha256Of,
  type StoredContent,
} from './file-contents.ts'

/** A file of a case, before its content is there. */
interface NewCaseFile extends AcceptedFile {
  readonly organizationUuid: string
  readonly caseId: string
  readonly by: Actor
  /** Whether a person uploads it, which is audited. */
  readonly isUpload: boolean
}

interface Source {
  readonly content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>
  readonly size: number | undefined
  /** Undefined: it is not known before all of it has arrived. */
  readonly sha256: string | undefined
}

/** A content that must still be written, or the file if its content was already stored. */
type Begun = { readonly arriving: StoredContent } | UploadedFile

export class SqlCaseFileStore extends SqlStore implements CaseFileStore {
  readonly limits: FileLimits
  /** Contents that this process writes. */
  readonly #arriving = new Set<number>()

  constructor(context: StoreContext, limits: FileLimits) {
    super(context)
    this.limits = limits
  }

  async attach(organizationUuid: string, caseId: string, given: NewFile, by: Actor): Promise<CaseAttachment> {
    const { bytes } = given
    requireFileSize(bytes.length, this.limits.file)
    const file = { ...acceptedFile(given), organizationUuid, caseId, by, isUpload: false }
    const source = { content: [bytes], size: bytes.length, sha256: await sha256Of(bytes) }
    return (await this.#store(file, source)).file
  }

  async upload(
    organizationUuid: string,
    caseId: string,
    { content, size, ...given }: FileUpload,
    by: Actor,
  ): Promise<UploadedFile> {
    if (size !== undefined) requireFileSize(size, this.limits.file)
    const file = { ...acceptedFile(given), organizationUuid, caseId, by, isUpload: true }
    return await this.#store(file, { content, size, sha256: undefined })
  }

  async #store(file: NewCaseFile, source: Source): Promise<UploadedFile> {
    // A request is recorded when the file is attached: until then, it can be repeated.
    const begun = await claims.run(undefined, () => this.write(() => this.#begin(file, source)))
    if ('file' in begun) return begun
    const { arriving } = begun
    try {
      const arrived = await claims.run(undefined, () => this.#receive(file, arriving, source))
      return await this.write(() => this.#finish(file, arriving, arrived))
    } catch (error) {
      // Frees the quota at once. If this fails too, the content is cleared away later.
      const giveUp = () => this.write(() => giveUpContent(this.database, arriving.id))
      await claims.run(undefined, giveUp).catch(() => undefined)
      throw error
    } finally {
      this.#arriving.delete(arriving.id)
    }
  }

  async #receive(
    file: NewCaseFile,
    arriving: StoredContent,
    { content, size = 0 }: Source,
  ): Promise<ArrivedContent> {
    const hash = createHash('sha256')
    let [received, place] = [0, 0]
    let detectedType: string | null = null
    for await (const piece of inPieces(content)) {
      if (place === 0) detectedType = detectedTypeOf(piece)
      hash.update(piece)
      // What was announced has its room already.
      const more = Math.max(0, received + piece.length - Math.max(size, received))
      received += piece.length
      requireFileSize(received, this.limits.file)
      const at = place++
      await this.writeIn({ organization: file.organizationUuid }, function* () {
        if (more > 0) {
          yield* this.#requireRoom(
            yield* caseForWrite(this.database, file.organizationUuid, file.caseId, file.by),
            more,
          )
          yield* growContent(this.database, arriving.id, more)
        }
        yield* insertPiece(this.database, arriving, at, piece)
      })
    }
    return { sha256: hash.digest('hex'), size: received, detectedType }
  }

  list(scope: OrganizationScope, caseId: string): Promise<readonly CaseAttachment[]> {
    return this.read(function* () {
      const row = yield* this.#caseIn(scope, caseId)
      if (row === undefined) return []
      const files = `${selectFile} WHERE t.case_id = ? ORDER BY t.id`
      return (yield* this.database.all<FileRow>(files, row.mergedRow ?? row.id)).map(toFile)
    })
  }

  open(scope: OrganizationScope, caseId: string, sha256: string): Promise<OpenFile | undefined> {
    return this.read(function* () {
      const row = yield* this.#caseIn(scope, caseId)
      const file = row && (yield* findFileRow(this.database, row, sha256))
      const content = file && (yield* contentOfFile(this.database, file.id))
      if (content === undefined) return undefined
      return { ...toFile(file!), content: () => this.#pieces(content, caseId, sha256) }
    })
  }

  withdraw(
    organizationUuid: string,
    caseId: string,
    sha256: string,
    reason: string,
    by: Actor,
  ): Promise<CaseAttachment> {
    return this.write(function* () {
      const row = yield* caseForWrite(this.database, organizationUuid, caseId, by)
      const file = yield* findFileRow(this.database, row, sha256)
      if (file === undefined) throw fileNotFound(caseId, sha256)
      if (file.content === null) return toFile(file)
      const at = this.clock.now()
      yield* withdrawFileRow(this.database, file.id, { at, by, reason })
      yield* deleteUnused(this.database, file.content)
      yield* this.#note(row, withdrawnEntry(file, reason, by, at), by)
      yield* recordFile(this.context, 'case.file_withdrawn', row, by, { file: file.name, sha256, reason })
      return toFile((yield* findFileRow(this.database, row, sha256))!)
    })
  }

  /** Inside of a write; see `clearContents`. */
  *clearAway(): Work<boolean> {
    return yield* clearContents(this.database, this.#arriving, this.clock.now())
  }

  async *#pieces(content: StoredContent, caseId: string, sha256: string): AsyncGenerator<Uint8Array> {
    for (let place = 0; place * pieceBytes < content.size; place++) {
      const piece = await this.read(() => readPiece(this.database, content, place))
      if (piece === undefined) throw fileNotFound(caseId, sha256)
      yield piece
    }
  }

  *#begin(file: NewCaseFile, { size = 0, sha256, content }: Source): Work<Begun> {
    const row = yield* caseForWrite(this.database, file.organizationUuid, file.caseId, file.by)
    const earlier = sha256 === undefined ? undefined : yield* findFileRow(this.database, row, sha256)
    if (earlier !== undefined && earlier.deletedAt === null) return { file: toFile(earlier), isNew: false }
    const { count } = yield* this.database.one<{ readonly count: number }>(
      'SELECT count(*) AS count FROM case_files WHERE case_id = ?',
      row.id,
    )
    requireRoomInCase(count, file.caseId)
    const { id: organization } = yield* requireOrganization(this.database, file.organizationUuid)
    const stored =
      sha256 === undefined ? undefined : yield* storedContent(this.database, organization, sha256)
    if (sha256 !== undefined && stored !== undefined) {
      requireRoomFor(size, { case: yield* bytesOfCase(this.database, row), organization: -size }, this.limits)
      const [head = new Uint8Array()] = content as Iterable<Uint8Array>
      const detectedType = detectedTypeOf(head)
      return { file: yield* this.#insertFile(row, file, { sha256, size, detectedType }, stored), isNew: true }
    }
    yield* this.#requireRoom(row, size)
    const begun = { sha256: sha256 ?? '', size, now: this.clock.now() }
    const arriving = yield* beginContent(this.database, organization, begun)
    this.#arriving.add(arriving.id)
    return { arriving }
  }

  /** Inside of a write. */
  *#requireRoom(row: CaseRow, size: number): Work<void> {
    const { id: organization } = yield* requireOrganization(this.database, row.organizationUuid)
    const { used } = yield* this.database.one<{ readonly used: number }>(
      `SELECT coalesce(sum(size), 0) AS used FROM file_contents WHERE organization_id = ? AND state <> 'deleting'`,
      organization,
    )
    requireRoomFor(size, { case: yield* bytesOfCase(this.database, row), organization: used }, this.limits)
  }

  /** The same content may have arrived twice at a time: the first stays. */
  *#finish(file: NewCaseFile, content: StoredContent, arrived: ArrivedContent): Work<UploadedFile> {
    const row = yield* caseForWrite(this.database, file.organizationUuid, file.caseId, file.by)
    const { sha256, size } = arrived
    const { id: organization } = yield* requireOrganization(this.database, file.organizationUuid)
    const earlier = yield* findFileRow(this.database, row, sha256)
    const isThere = earlier !== undefined && earlier.deletedAt === null
    // Files that arrive at the same time have all found room for one.
    if (!isThere)
      requireRoomFor(size, { case: yield* bytesOfCase(this.database, row), organization: -size }, this.limits)
    const stored = yield* storedContent(this.database, organization, sha256)
    const state = stored === undefined ? 'stored' : 'deleting'
    yield* this.database.run(
      'UPDATE file_contents SET state = ?, sha256 = ?, size = ? WHERE id = ?',
      state,
      sha256,
      size,
      content.id,
    )
    if (isThere) return { file: toFile(earlier), isNew: false }
    return { file: yield* this.#insertFile(row, file, arrived, stored ?? content.id), isNew: true }
  }

  *#insertFile(
    row: CaseRow,
    file: NewCaseFile,
    arrived: ArrivedContent,
    content: number,
  ): Work<CaseAttachment> {
    const { name, contentType, by } = file
    const { sha256, size } = arrived
    const at = this.clock.now()
    yield* insertFileRow(this.database, { caseRow: row.id, name, contentType, ...arrived, content, at, by })
    yield* this.#note(row, fileEntry(name, size, sha256, by, at), by)
    if (file.isUpload)
      yield* recordFile(this.context, 'case.file_uploaded', row, by, {
        file: name,
        sha256,
        size: sizeText(size),
      })
    return toFile((yield* findFileRow(this.database, row, sha256))!)
  }

  /** The work of a person counts as the response. */
  *#note(row: CaseRow, entry: NewCaseEntry, by: Actor): Work<void> {
    yield* insertEntry(this.database, row.id, entry)
    const times = timesAfter(row, {}, { by, now: entry.at, targets: {} })
    yield* updateRow(this.database, 'cases', row.id, { modifiedAt: entry.at, ...times })
  }

  *#caseIn(scope: OrganizationScope, id: string): Work<CaseRow | undefined> {
    const row = yield* findCaseRow(this.database, id)
    return row && isInScope(scope, row.organizationUuid) ? row : undefined
  }
}
