import { ForbiddenError } from '../../core/errors/errors.ts'
import type { Lease } from '../../core/ports/nodes/lease.ts'
import { ConnectionError, RetryableError, SkillError } from '../../core/plugin/index.ts'

/** Sentences for common codes; others are shown as they are. */
const meanings: Readonly<Record<string, string>> = {
  ENOTFOUND: 'the name does not exist',
  EAI_AGAIN: 'the name cannot be resolved now',
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection was closed',
  EPIPE: 'the connection was closed',
  ETIMEDOUT: 'the connection timed out',
  EHOSTUNREACH: 'there is no route to it',
  ENETUNREACH: 'there is no route to it',
  CERT_HAS_EXPIRED: 'the certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate is not signed by a trusted authority',
  SELF_SIGNED_CERT_IN_CHAIN: 'the certificate is not signed by a trusted authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the certificate cannot be verified',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is for another name',
}

const reach =
  'check the address, and that this server can reach it: network, firewall, allow list of the other system'
const trust =
  'check the address; for a private certificate authority, set network_ca of the connection, or NODE_EXTRA_CA_CERTS'

const hints: Readonly<Record<string, string>> = {
  ENOTFOUND: 'check the spelling of the address',
  EAI_AGAIN: 'usually temporary; if it persists, check the DNS servers of this machine',
  CERT_HAS_EXPIRED: 'ask the owner of the other system to renew it',
  DEPTH_ZERO_SELF_SIGNED_CERT: trust,
  SELF_SIGNED_CERT_IN_CHAIN: trust,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: trust,
  ERR_TLS_CERT_ALTNAME_INVALID: 'check the spelling of the address',
}

/**
 * The error for a failed exchange; see `Egress.send`. `where` is an origin, without path and query. `isSent`:
 * the other system may have received the request, so its effect is unknown.
 */
export function networkError(error: unknown, where: string, isSent: boolean): Error {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    const isKnown = at instanceof ForbiddenError || at instanceof SkillError || at instanceof ConnectionError
    // Of a proxy: the target was not reached.
    if (isKnown || at instanceof RetryableError) return at
    if ((at as { code?: unknown }).code === 'HPE_HEADER_OVERFLOW') {
      return new SkillError('response_too_large', `the response headers from ${where} are too large`)
    }
  }
  const code = codeOf(error)
  const meaning = code === undefined ? undefined : meanings[code]
  const why = meaning ?? (code === undefined ? 'the exchange failed' : `the exchange failed (${code})`)
  if (isSent) {
    return new RetryableError('network_error', `no complete response from ${where}: ${why}`, {
      hint: 'the request was sent: it may have taken effect',
      details: { code: code ?? null },
    })
  }
  const hint = code === undefined ? reach : (hints[code] ?? reach)
  return new RetryableError('network_error', `could not reach ${where}: ${why}`, {
    hint,
    details: { code: code ?? null, sent: false },
  })
}

/** The reason not to send, if this process may have been replaced by another one; undefined: it may send. */
export function leaseOver(lease: Lease | undefined): RetryableError | undefined {
  if (lease === undefined || lease.isHeld()) return undefined
  return new RetryableError(
    'lease_over',
    'this server could not renew its lease, so another one may have taken over',
    {
      hint: 'nothing was sent',
      effect: 'none',
      retryAfterMs: 500,
    },
  )
}

/** The innermost code: `got` wraps errors of Node. */
function codeOf(error: unknown): string | undefined {
  let code: string | undefined
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    const here = (at as { code?: unknown }).code
    if (typeof here === 'string') code = here
  }
  return code
}
