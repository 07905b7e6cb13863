import { TocsinError, type ErrorOptions } from '../plugin/index.ts'

/**
 * A value is invalid. `details.errors` lists `{ pointer, message }`, where `pointer` is a JSON pointer (RFC
 * 6901).
 */
export class ValidationError extends TocsinError {
  readonly errors: readonly PointedMessage[]

  constructor(code: string, message: string, errors: readonly PointedMessage[], options: ErrorOptions = {}) {
    super(code, message, { ...options, details: { ...options.details, errors } })
    this.errors = errors
  }
}

export interface PointedMessage {
  /** RFC 6901; `''` is the whole value. */
  readonly pointer: string
  readonly message: string
}

/** The step's deadline passed. */
export class TimeoutError extends TocsinError {}

/** The run was cancelled. */
export class CancelledError extends TocsinError {}

export class NotFoundError extends TocsinError {}
export class ConflictError extends TocsinError {}
export class ForbiddenError extends TocsinError {}

/** The process cannot accept the work now, because the queue or the disk is full. */
export class UnavailableError extends TocsinError {
  readonly retryAfterMs: number

  constructor(code: string, message: string, options: ErrorOptions & { readonly retryAfterMs: number }) {
    super(code, message, options)
    this.retryAfterMs = options.retryAfterMs
  }
}
