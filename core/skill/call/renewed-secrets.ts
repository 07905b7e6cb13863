import { ConnectionError, type AnySkill } from '../../plugin/index.ts'
import type { OpenConnection } from '../../ports/connection-store.ts'
import type { SecretResolver } from '../connection/secret-resolver.ts'

export interface RenewableCall {
  readonly skill: AnySkill
  readonly open: OpenConnection | undefined
  readonly signal: AbortSignal
  /** Undefined: no connection has references. */
  readonly secrets: SecretResolver | undefined
}

/**
 * Makes a call. If the other system refuses the secrets of the connection, their sources are asked again; with a new value, the call is
 * made once more, unless it is a write that may have taken effect and must not be repeated.
 */
export async function withRenewedSecrets<T>(
  { skill, open, signal, secrets }: RenewableCall,
  make: (open: OpenConnection | undefined) => Promise<T>,
): Promise<T> {
  try {
    return await make(open)
  } catch (error) {
    if (!(error instanceof ConnectionError) || open === undefined) throw error
    // The values are renewed for the next call even if this call is not repeated.
    const renewed = await renew(secrets, open, signal)
    if (renewed === undefined || !mayRepeat(skill, error)) throw error
    return await make(renewed)
  }
}

/** A source that fails now must not hide why the call failed. */
async function renew(
  secrets: SecretResolver | undefined,
  open: OpenConnection,
  signal: AbortSignal,
): Promise<OpenConnection | undefined> {
  try {
    return await secrets?.renew(open, signal)
  } catch {
    return undefined
  }
}

/** A refused request changes nothing; the HTTP client marks an error after an earlier change. */
function mayRepeat(skill: AnySkill, { code, details }: ConnectionError): boolean {
  if (skill.effect === 'read' || skill.repeat === 'safe') return true
  const isRefusal = code === 'token_refused' || details?.['status'] === 401 || details?.['status'] === 403
  return isRefusal && details?.['effect'] !== 'unknown'
}
