import type { Actor } from '../domain/audit.ts'
import type { CaseAttachment } from '../domain/case.ts'
import type { NewFile } from '../plugin/index.ts'
import type { OrganizationScope } from './common.ts'

/** A file whose content is being read. */
export interface OpenFile extends CaseAttachment {
  /** The content in order; throws NotFoundError `file_not_found` if it is deleted meanwhile. */
  content(): AsyncIterable<Uint8Array>
}

/** Files of cases. Equal contents of an organization are stored once and count once. */
export interface CaseFileStore {
  /**
   * Attaches a file with an entry in the timeline. A content that the case has already is not attached again: its
   * first file is returned. An interrupted call leaves nothing but a content that counts until it is cleared away.
   * Throws NotFoundError `case_not_found`, and ConflictError `file_too_large`, `too_many_files` or
   * `file_quota_reached`.
   */
  attach(organizationUuid: string, caseId: string, file: NewFile, by: Actor): Promise<CaseAttachment>
  /** Oldest first; empty for an unknown case. */
  list(scope: OrganizationScope, caseId: string): Promise<readonly CaseAttachment[]>
  /** Undefined if the case has no such file, or its content is deleted. */
  open(scope: OrganizationScope, caseId: string, sha256: string): Promise<OpenFile | undefined>
}
