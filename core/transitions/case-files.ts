import { maxFileBytes } from '../common/read-body.ts'
import type { Actor } from '../domain/audit.ts'
import { ConflictError, NotFoundError } from '../errors/errors.ts'
import type { NewFile } from '../plugin/index.ts'
import { timelineEntry, type NewCaseEntry } from './timeline.ts'

/** Limits of files, in bytes. */
export interface FileLimits {
  readonly file: number
  /** All contents of a case. */
  readonly case: number
  /** All contents of an organization; equal ones count once. */
  readonly organization: number
}

/** Unless the operator chooses others. */
export const defaultFileLimits: FileLimits = {
  file: maxFileBytes,
  case: 512 * 1_048_576,
  organization: 1024 * 1_048_576,
}

/** From megabytes of a file, of a case and of an organization; undefined: the default. */
export function fileLimitsOf([file, ofCase, organization]: readonly (number | undefined)[]): FileLimits {
  const bytes = (megabytes: number | undefined, otherwise: number): number =>
    megabytes === undefined ? otherwise : megabytes * 1_048_576
  return {
    file: bytes(file, defaultFileLimits.file),
    case: bytes(ofCase, defaultFileLimits.case),
    organization: bytes(organization, defaultFileLimits.organization),
  }
}

/** No content of a file arrives this long, in milliseconds: requests are limited to less. */
export const maxArrivalMs = 3_600_000

/** More would make a case hard to read, and its page slow. */
const maxFilesOfCase = 500
const maxName = 255
/** Longer endings of a name are no file type. */
const maxEnding = 20

/** The name and type of a file as they are stored. */
export interface AcceptedFile {
  readonly name: string
  readonly contentType: string
}

/** A name that no system reads as a path, and a type that fits into a header. */
export function acceptedFile({
  name,
  contentType = '',
}: Pick<NewFile, 'name' | 'contentType'>): AcceptedFile {
  // Format characters include those that reverse the text, so that `exe.pdf` is read for `fdp.exe`.
  const cleaned = name
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}/\\]/gu, '_')
    .trim()
  const kept = shortened(cleaned)
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  return {
    name: /^\.*$/.test(kept) ? 'file' : kept,
    contentType: /^[\w.+-]{1,100}\/[\w.+-]{1,100}$/.test(type) ? type : 'application/octet-stream',
  }
}

/** Keeps the ending, which tells the type. */
function shortened(name: string): string {
  if (name.length <= maxName) return name
  const dot = name.lastIndexOf('.')
  const ending = dot > 0 && name.length - dot <= maxEnding ? name.slice(dot) : ''
  // A character of two code units may have been cut.
  return `${name.slice(0, maxName - ending.length)}${ending}`.toWellFormed().replaceAll('\u{FFFD}', '_')
}

/** @throws ConflictError `file_too_large` */
export function requireFileSize(size: number, limit: number): void {
  if (size <= limit) return
  const message = `the file is larger than ${sizeText(limit)}, the limit of a file`
  throw new ConflictError('file_too_large', message, {
    hint: 'attach a smaller file, or add a note with a link to it; TOCSIN_FILE_MB sets the limit',
  })
}

/**
 * @param files how many the case has
 * @throws ConflictError `too_many_files`
 */
export function requireRoomInCase(files: number, caseId: string): void {
  if (files < maxFilesOfCase) return
  throw new ConflictError('too_many_files', `the case ${caseId} has ${files} files, and cannot have more`, {
    hint: 'open another case for further files',
  })
}

/** Bytes that are stored already. */
export interface UsedBytes {
  readonly case: number
  readonly organization: number
}

/** @throws ConflictError `case_files_full`, `file_quota_reached` */
export function requireRoomFor(size: number, used: UsedBytes, limits: FileLimits): void {
  if (used.case + size > limits.case)
    throw new ConflictError(
      'case_files_full',
      `the files of the case have ${sizeText(used.case)}; ${sizeText(size)} more would exceed its limit of ${sizeText(limits.case)}`,
      { hint: 'withdraw files that are not needed, or raise TOCSIN_CASE_FILES_MB' },
    )
  if (used.organization + size > limits.organization)
    throw new ConflictError(
      'file_quota_reached',
      `the files of the organization have ${sizeText(used.organization)}; ${sizeText(size)} more would exceed its quota of ${sizeText(limits.organization)}`,
      { hint: 'set TOCSIN_KEEP_FILES_DAYS to delete files of closed cases, or raise TOCSIN_FILE_QUOTA_MB' },
    )
}

export const fileNotFound = (caseId: string, sha256: string): NotFoundError =>
  new NotFoundError(
    'file_not_found',
    `the case ${caseId} has no file with the SHA-256 ${sha256.slice(0, 64)}`,
    {
      hint: 'list the files of the case: the content may have been withdrawn, or deleted by the retention policy',
    },
  )

export const fileEntry = (name: string, size: number, sha256: string, by: Actor, at: number): NewCaseEntry =>
  timelineEntry('file', `${name} was attached (${sizeText(size)}, SHA-256 ${sha256}).`, by, at)

export const withdrawnEntry = (
  { name, sha256 }: { readonly name: string; readonly sha256: string },
  reason: string,
  by: Actor,
  at: number,
): NewCaseEntry =>
  timelineEntry(
    'file',
    `${name} was withdrawn, and its content deleted (SHA-256 ${sha256}): ${reason}`,
    by,
    at,
  )

/** Rounded up, so that nothing is smaller than it looks. */
export function sizeText(bytes: number): string {
  if (bytes < 1_024) return bytes === 1 ? '1 byte' : `${bytes} bytes`
  return bytes < 1_048_576 ? `${Math.ceil(bytes / 1_024)} KB` : `${Math.ceil(bytes / 1_048_576)} MB`
}
