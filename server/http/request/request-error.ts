import { TocsinError, type ErrorOptions } from '../../../core/plugin/index.ts'
import type { PointedMessage } from '../../../core/errors/errors.ts'
import { requestErrors, type RequestErrorCode } from '../routing/status-table.ts'

interface RequestErrorOptions extends ErrorOptions {
  /** Headers of the response, e.g. `Allow`. */
  readonly headers?: Readonly<Record<string, string>>
  /** Invalid parts of the body. */
  readonly errors?: readonly PointedMessage[]
}

/** An error that the caller must fix. Its code determines the status: see `status-table.ts`. */
export class RequestError extends TocsinError<RequestErrorCode> {
  readonly headers: Readonly<Record<string, string>>
  readonly errors: readonly PointedMessage[] | undefined

  constructor(code: RequestErrorCode, message?: string, options: RequestErrorOptions = {}) {
    super(code, message ?? `${requestErrors[code].title}.`, options)
    this.headers = options.headers ?? {}
    this.errors = options.errors
  }
}
