import { parseJson } from '../../common/json.ts'
import { textAt, valueAt } from '../../plugin/index.ts'

/** An issued token. */
export interface IssuedToken {
  readonly text: string
  /** Lifetime in milliseconds. */
  readonly lifetimeMs: number
}

/** A successful token response. */
export interface TokenResponse {
  readonly accessToken: string
  /** In milliseconds; undefined: unknown. */
  readonly lifetimeMs: number | undefined
  readonly refreshToken: string | undefined
  readonly scope: string | undefined
}

/** Lifetime if the answer has none: worth caching, and shorter than that of any known system. */
const defaultLifetimeMs = 10 * 60_000
const maxLifetimeMs = 24 * 3_600_000

/** Characters that fit into a header. RFC 6750 allows fewer, but systems use more. */
const tokenText = /^[!-~]{1,16384}$/

/** Reads a successful token response as a token that is fetched again when it expires; returns the problem as a string. */
export function readToken(body: string): IssuedToken | string {
  const answer = readTokenResponse(body)
  if (typeof answer === 'string') return answer
  const { accessToken, lifetimeMs = defaultLifetimeMs } = answer
  return { text: accessToken, lifetimeMs: Math.min(lifetimeMs, maxLifetimeMs) }
}

/** Reads a successful token response (RFC 6749, section 5.1); returns the problem as a string. */
export function readTokenResponse(body: string): TokenResponse | string {
  let answer: unknown
  try {
    answer = parseJson(body, { maxDepth: 20 })
  } catch {
    return 'the answer is not JSON'
  }
  const accessToken = textAt(answer, 'access_token')
  if (accessToken === null) return 'the answer has no access_token'
  if (!tokenText.test(accessToken)) return 'the access_token in the answer cannot be sent in a header'
  const type = textAt(answer, 'token_type') ?? 'Bearer'
  if (type.toLowerCase() !== 'bearer') return 'the token in the answer is not a bearer token'
  return {
    accessToken,
    lifetimeMs: lifetime(valueAt(answer, 'expires_in')),
    refreshToken: textAt(answer, 'refresh_token') ?? undefined,
    scope: textAt(answer, 'scope') ?? undefined,
  }
}

/** Some systems send the number as a string. */
function lifetime(expiresIn: unknown): number | undefined {
  const seconds = typeof expiresIn === 'string' && expiresIn.trim() !== '' ? Number(expiresIn) : expiresIn
  return typeof seconds === 'number' && seconds >= 0 ? seconds * 1000 : undefined
}
