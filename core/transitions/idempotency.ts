import type { Alert, NewAlert } from '../domain/alert.ts'
import { ConflictError } from '../errors/errors.ts'

/** @param owner the earlier use of the key, e.g. `another alert` */
export const keyReused = (
  key: string | undefined,
  owner: string,
  details?: Readonly<Record<string, unknown>>,
) =>
  new ConflictError(
    'idempotency_key_reused',
    `the key ${key === undefined ? '' : `'${key.slice(0, 64)}' `}belongs to ${owner}`,
    { details },
  )

/**
 * Returns the earlier alert if a repeated request asks for the same one. Throws ConflictError
 * `idempotency_key_reused`.
 */
export function requireSameAlert(earlier: Alert, given: NewAlert, key: string): Alert {
  const isSame =
    earlier.content === given.content &&
    earlier.organizationUuid === given.organizationUuid &&
    earlier.provider.toLowerCase() === given.provider.toLowerCase() &&
    earlier.type === given.type &&
    earlier.createdAtSource === given.createdAtSource
  if (isSame) return earlier
  throw keyReused(key, 'another alert', { alert_id: earlier.id })
}

/** The process stopped during the first request, whose effect is unknown. */
export const requestInterrupted = (): ConflictError =>
  new ConflictError(
    'request_interrupted',
    'the server stopped before it answered the first request, which may have taken effect',
    { hint: 'look for the result of the request, and repeat it with another key only if there is none' },
  )
