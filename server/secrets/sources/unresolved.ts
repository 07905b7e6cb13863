import { ConnectionError, RetryableError } from '../../../core/plugin/index.ts'

/** Why a reference has no value. Without the value, and without addresses of the operator: every admin of an organization sees it. */
export class Unresolved extends Error {
  readonly hint: string
  /** Whether it may have a value later without anyone's action. */
  readonly isTemporary: boolean
  readonly retryAfterMs: number | undefined

  constructor(
    why: string,
    hint: string,
    { isTemporary = false, retryAfterMs }: { isTemporary?: boolean; retryAfterMs?: number | undefined } = {},
  ) {
    super(why)
    this.hint = hint
    this.isTemporary = isTemporary
    this.retryAfterMs = retryAfterMs
  }
}

export const unavailable = (why: string, hint: string, retryAfterMs?: number): Unresolved =>
  new Unresolved(why, hint, { isTemporary: true, retryAfterMs })

/** A new error for each reader, because several wait for one request. */
export function asReadError(text: string, cause: unknown): unknown {
  if (!(cause instanceof Unresolved)) return cause
  const { message: why, hint, isTemporary, retryAfterMs } = cause
  const message = `cannot read the secret ${text}: ${why}`
  return isTemporary
    ? new RetryableError('secret_source_unavailable', message, { hint, effect: 'none', retryAfterMs })
    : new ConnectionError('secret_unresolved', message, { hint, effect: 'none' })
}
