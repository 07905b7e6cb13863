import type { Actor } from '../domain/audit.ts'
import type { CaseAttachment } from '../domain/case.ts'
import type { NewFile } from '../plugin/index.ts'
import type { FileLimits } from '../transitions/case-files.ts'
import type { OrganizationScope } from './common.ts'

/** A file whose content is being read. */
export interface OpenFile extends CaseAttachment {
  /** The content in order; throws NotFoundError `file_not_found` if it is deleted meanwhile. */
  content(): AsyncIterable<Uint8Array>
}

/** A file whose content is arriving. */
export interface FileUpload extends Omit<NewFile, 'bytes'> {
  readonly content: AsyncIterable<Uint8Array>
  /** Bytes, if the sender announced them. */
  readonly size: number | undefined
}

/** Files of cases. Equal contents of an organization are stored once and count once. */
export interface CaseFileStore {
  readonly limits: FileLimits
  /**
   * Attaches a file with an entry in the timeline. A content that the case has already is not attached again: its
   * first file is returned. An interrupted call leaves nothing but a content that counts until it is cleared away.
   * Throws NotFoundError `case_not_found`, and ConflictError `file_too_large`, `too_many_files`, `case_files_full` or
   * `file_quota_reached`.
   */
  attach(organizationUuid: string, caseId: string, file: NewFile, by: Actor): Promise<CaseAttachment>
  /**
   * Like `attach`, for a person: the content is stored while it arrives, and the upload is audited. The write that attaches the
   * file is the first one of the request. Rejects with the error of the content, and then nothing is attached.
   */
  upload(organizationUuid: string, caseId: string, file: FileUpload, by: Actor): Promise<UploadedFile>
  /**
   * Deletes the content of a file, and keeps its name, its hash and the reason. Does nothing if the content is deleted already.
   * Throws NotFoundError `case_not_found`, `file_not_found`.
   */
  withdraw(
    organizationUuid: string,
    caseId: string,
    sha256: string,
    reason: string,
    by: Actor,
  ): Promise<CaseAttachment>
  /** Oldest first; empty for an unknown case. */
  list(scope: OrganizationScope, caseId: string): Promise<readonly CaseAttachment[]>
  /** Undefined if the case has no such file, or its content is deleted. */
  open(scope: OrganizationScope, caseId: string, sha256: string): Promise<OpenFile | undefined>
}

export interface UploadedFile {
  readonly file: CaseAttachment
  /** False: the case had this content already. */
  readonly isNew: boolean
}
