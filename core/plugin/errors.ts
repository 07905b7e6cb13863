/** Optional parts of an error. */
export interface ErrorOptions {
  /** One sentence for the person who can act. */
  readonly hint?: string | undefined
  /** Machine-readable context: JSON without secrets. */
  readonly details?: Readonly<Record<string, unknown>> | undefined
  /**
   * For a write: `none` if the other system refused it before doing anything, so that a retry is safe;
   * `unknown` if it may have taken effect. Default: what the code implies, e.g. `none` for `http_429` and
   * `unknown` for
   * `bad_response`.
   */
  readonly effect?: Effect | undefined
  readonly cause?: unknown
}

/** The effect of a failed write. */
export type Effect = 'none' | 'unknown'

/**
 * Base class of all intended errors, classified by who acts next; `code` names the class and the case. Branch on
 * `code`, not on `instanceof`: an error that was stored and read back has no class.
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
 * The other system refused the request, and asking again would not help. The step fails.
 *
 * @example throw new SkillError('machine_not_found', `no machine has the id '${id}'`, { hint: 'list the
 * machines first' })
 */
export class SkillError extends TocsinError {}

/**
 * The connection is not usable: wrong credentials, missing permission, missing or disabled connection. The
 * operator acts. `http` throws it for 401 and 403; a plugin throws it if the other system reports the same in
 * a different form.
 *
 * @example throw new ConnectionError('token_revoked', 'the other system says token_revoked', { hint: 'enter a
 * new token' })
 */
export class ConnectionError extends TocsinError {}

/** Optional parts of a {@link RetryableError}. */
export interface RetryableErrorOptions extends ErrorOptions {
  /**
   * Minimum delay that the other system asks for, in milliseconds. The engine waits at least this long, up to its
   * maximum.
   */
  readonly retryAfterMs?: number | undefined
}

/** A temporary error (busy, rate limit, unreachable). The engine retries the step. */
export class RetryableError extends TocsinError {
  readonly retryAfterMs: number | undefined

  constructor(code: string, message: string, options: RetryableErrorOptions = {}) {
    super(code, message, options)
    this.retryAfterMs = options.retryAfterMs
  }
}
