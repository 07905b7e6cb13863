import { maxFileBytes } from '../common/read-body.ts'
import type { Actor } from '../domain/audit.ts'
import { ConflictError, NotFoundError } from '../errors/errors.ts'
import type { NewFile } from '../plugin/index.ts'
import { timelineEntry, type NewCaseEntry } from './timeline.ts'

/** More would make a case hard to read, and its page slow. */
const maxFilesOfCase = 500
/** Bytes of all contents of an organization, unless the operator chooses another quota. */
export const defaultFileQuota = 1024 * 1_048_576

/** A file as it is stored. */
export interface AcceptedFile extends NewFile {
  readonly contentType: string
}

/** Limits of a case file: the size of a body, and a name that no system reads as a path. */
export function acceptedFile({ name, contentType = '', bytes }: NewFile): AcceptedFile {
  if (bytes.length > maxFileBytes) {
    throw new ConflictError(
      'file_too_large',
      `the file has ${sizeText(bytes.length)}, more than ${sizeText(maxFileBytes)}`,
      { hint: 'attach a smaller file, or a link to it' },
    )
  }
  // Format characters include those that reverse the text, so that `exe.pdf` is read for `fdp.exe`.
  const cleaned = name
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}/\\]/gu, '_')
    .trim()
    .slice(0, 255)
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  return {
    name: /^\.*$/.test(cleaned) ? 'file' : cleaned.toWellFormed(),
    contentType: /^[\w.+-]{1,100}\/[\w.+-]{1,100}$/.test(type) ? type : 'application/octet-stream',
    bytes,
  }
}

/** @throws ConflictError `too_many_files` */
export function requireRoomInCase(files: number, caseId: string): void {
  if (files < maxFilesOfCase) return
  throw new ConflictError('too_many_files', `the case ${caseId} has ${files} files, and cannot have more`, {
    hint: 'open another case for further files',
  })
}

/**
 * @param used bytes of the organization's contents
 * @throws ConflictError `file_quota_reached`
 */
export function requireQuota(used: number, size: number, quota: number): void {
  if (used + size <= quota) return
  throw new ConflictError(
    'file_quota_reached',
    `the files of the organization have ${sizeText(used)}; ${sizeText(size)} more would exceed its quota of ${sizeText(quota)}`,
    { hint: 'set TOCSIN_KEEP_FILES_DAYS to delete files of closed cases, or raise TOCSIN_FILE_QUOTA_MB' },
  )
}

export const fileNotFound = (caseId: string, sha256: string): NotFoundError =>
  new NotFoundError(
    'file_not_found',
    `the case ${caseId} has no file with the SHA-256 ${sha256.slice(0, 64)}`,
    {
      hint: 'list the files of the case: the content may have been deleted by the retention policy',
    },
  )

export const fileEntry = (name: string, size: number, sha256: string, by: Actor, at: number): NewCaseEntry =>
  timelineEntry('file', `${name} was attached (${sizeText(size)}, SHA-256 ${sha256}).`, by, at)

/** Rounded up, so that nothing is smaller than it looks. */
export function sizeText(bytes: number): string {
  if (bytes < 1_024) return bytes === 1 ? '1 byte' : `${bytes} bytes`
  return bytes < 1_048_576 ? `${Math.ceil(bytes / 1_024)} KB` : `${Math.ceil(bytes / 1_048_576)} MB`
}
