/** What an error is made of besides its message. */
export interface ErrorOptions {
  /** What to do about it, one sentence for the person who can act. */
  readonly hint?: string | undefined
  /** Machine-readable context: JSON only, no secrets. */
  readonly details?: Readonly<Record<string, unknown>> | undefined
  /**
   * Of a write: `none` the other system refused before it did anything, so that trying again is safe; `unknown` it may have done it.
   * Shown as `effect` in the details. Default: what is known of the code, e.g. `none` for `http_429` and `unknown` for `bad_response`.
   */
  readonly effect?: Effect | undefined
  readonly cause?: unknown
}

/** What is known of the effect of a write that failed. */
export type Effect = 'none' | 'unknown'

/**
 * The base of every error that Tocsin raises on purpose. Errors are classified by who acts next; `code` says which class
 * and which case it is. Branch on `code`, never on `instanceof`, once an error has been stored and read back.
 */
export class TocsinError<Code extends string = string> extends Error {
  readonly code: Code
  readonly hint: string | undefined
  readonly details: Readonly<Record<string, unknown>> | undefined

  constructor(code: Code, message: string, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = new.target.name
    this.code = code
    this.hint = options.hint
    this.details = options.effect ? { ...options.details, effect: options.effect } : options.details
  }
}

/**
 * The other system said no, and asking again would not help. The step fails.
 *
 * @example throw new SkillError('machine_not_found', `no machine has the id '${id}'`, { hint: 'list the machines first' })
 */
export class SkillError extends TocsinError {}

/**
 * The connection does not work: wrong credentials, missing permission, missing or disabled connection. The operator acts. `http`
 * throws it for 401 and 403; a plugin does where the other system says the same in another way.
 *
 * @example throw new ConnectionError('token_revoked', 'the other system says token_revoked', { hint: 'enter a new token' })
 */
export class ConnectionError extends TocsinError {}

/** What a {@link RetryableError} adds. */
export interface RetryableErrorOptions extends ErrorOptions {
  /** How long the other system asks to be left alone, in milliseconds. The engine waits at least so long, up to its cap. */
  readonly retryAfterMs?: number | undefined
}

/** The other system may well say yes later (busy, over its rate, out of reach). The engine tries the step again. */
export class RetryableError extends TocsinError {
  readonly retryAfterMs: number | undefined

  constructor(code: string, message: string, options: RetryableErrorOptions = {}) {
    super(code, message, options)
    this.retryAfterMs = options.retryAfterMs
  }
}
