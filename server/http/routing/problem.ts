import { UnavailableError, ValidationError, type PointedMessage } from '../../../core/errors/errors.ts'
import { RetryableError, TocsinError } from '../../../core/plugin/index.ts'
import { RequestError } from '../request/request-error.ts'
import { coreCodes, errorClasses, internalError, requestErrors } from './status-table.ts'

/** A problem document (RFC 9457); `schemas/error.schema.json`. */
export interface ProblemDocument {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly code: string
  readonly hint?: string
  readonly errors?: readonly PointedMessage[]
  readonly request_id: string
}

/** Maximum number of errors in one response. */
const maxErrors = 50

/** The public part of an error. Of an unexpected error: only that it happened. */
export function problemDocument(error: unknown, requestId: string): ProblemDocument {
  const row = error instanceof TocsinError ? rowOf(error) : undefined
  if (row === undefined || !(error instanceof TocsinError)) {
    return {
      type: typeOf('internal_error'),
      ...internalError,
      detail: 'The request failed. The server log has the details under the request id.',
      code: 'internal_error',
      request_id: requestId,
    }
  }
  const errors = error instanceof ValidationError || error instanceof RequestError ? error.errors : undefined
  return {
    type: typeOf(error.code),
    title: row.title,
    status: row.status,
    detail: error.message,
    code: error.code,
    ...(error.hint !== undefined && { hint: error.hint }),
    ...(errors !== undefined && { errors: errors.slice(0, maxErrors) }),
    request_id: requestId,
  }
}

/** Headers of an error: `Allow`, `WWW-Authenticate`, `Retry-After` (seconds, rounded up). */
export function problemHeaders(error: unknown): Readonly<Record<string, string>> {
  if (error instanceof RequestError) return error.headers
  const retryAfterMs =
    error instanceof UnavailableError || error instanceof RetryableError ? error.retryAfterMs : undefined
  return retryAfterMs === undefined
    ? {}
    : { 'retry-after': String(Math.max(1, Math.ceil(retryAfterMs / 1000))) }
}

const typeOf = (code: string): string => `urn:tocsin:error:${code}`

function rowOf(error: TocsinError): { readonly status: number; readonly title: string } | undefined {
  if (error instanceof RequestError) return requestErrors[error.code]
  const byCode = own(coreCodes, error.code)
  if (byCode !== undefined) return byCode
  // Subclasses map like the class in the table.
  for (
    let kind: unknown = error.constructor;
    typeof kind === 'function';
    kind = Object.getPrototypeOf(kind)
  ) {
    const row = own(errorClasses, kind.name)
    if (row !== undefined) return row
  }
  return undefined
}

function own<T extends object>(table: T, key: string): T[keyof T] | undefined {
  return Object.hasOwn(table, key) ? table[key as keyof T] : undefined
}
