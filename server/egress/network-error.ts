import { ForbiddenError } from '../../core/errors/errors.ts'
import { RetryableError, SkillError } from '../../core/plugin/index.ts'

/** Sentences for what happens often; anything else shows the code alone. */
const meanings: Readonly<Record<string, string>> = {
  ENOTFOUND: 'the name does not exist',
  EAI_AGAIN: 'the name cannot be resolved just now',
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'the connection was cut',
  EPIPE: 'the connection was cut',
  ETIMEDOUT: 'the connection timed out',
  EHOSTUNREACH: 'there is no way there',
  ENETUNREACH: 'there is no way there',
  CERT_HAS_EXPIRED: 'the certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate is signed by nobody who is trusted',
  SELF_SIGNED_CERT_IN_CHAIN: 'the certificate is signed by nobody who is trusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the certificate cannot be verified',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is for another name',
}

const reach =
  'check the address, and that this server can reach it: network, firewall, allowlist of the other system'
const trust =
  'check the address; a certificate that only your organization trusts is named by NODE_EXTRA_CA_CERTS'

const hints: Readonly<Record<string, string>> = {
  ENOTFOUND: 'check how the address is written',
  EAI_AGAIN: 'it passes as a rule; check the name servers of this machine where it lasts',
  CERT_HAS_EXPIRED: 'whoever runs the other system must renew it',
  DEPTH_ZERO_SELF_SIGNED_CERT: trust,
  SELF_SIGNED_CERT_IN_CHAIN: trust,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: trust,
  ERR_TLS_CERT_ALTNAME_INVALID: 'check how the address is written',
}

/**
 * What the caller sees of a failed exchange; see `Egress.send`. `where` is an origin: no path, no query. `isSent`: the other system
 * may have the request, so nobody can say that it did nothing with it.
 */
export function networkError(error: unknown, where: string, isSent: boolean): Error {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    if (at instanceof ForbiddenError || at instanceof SkillError) return at
    if ((at as { code?: unknown }).code === 'HPE_HEADER_OVERFLOW') {
      return new SkillError('response_too_large', `the headers of the answer from ${where} are too large`)
    }
  }
  const code = codeOf(error)
  const meaning = code === undefined ? undefined : meanings[code]
  const why = meaning ?? (code === undefined ? 'the exchange failed' : `the exchange failed (${code})`)
  if (isSent) {
    return new RetryableError('network_error', `no whole answer came from ${where}: ${why}`, {
      hint: 'the request was sent: what it asks for may have been done all the same',
      details: { code: code ?? null },
    })
  }
  const hint = code === undefined ? reach : (hints[code] ?? reach)
  return new RetryableError('network_error', `${where} cannot be reached: ${why}`, {
    hint,
    details: { code: code ?? null, sent: false },
  })
}

/** The innermost code: got wraps what Node says. */
function codeOf(error: unknown): string | undefined {
  let code: string | undefined
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    const here = (at as { code?: unknown }).code
    if (typeof here === 'string') code = here
  }
  return code
}
