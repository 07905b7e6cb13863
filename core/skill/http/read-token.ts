import { parseJson } from '../../common/json.ts'
import { textAt, valueAt } from '../../plugin/index.ts'

/** An issued token. */
export interface IssuedToken {
  readonly text: string
  /** Lifetime in milliseconds. */
  readonly lifetimeMs: number
}

/** Lifetime if the answer has none: worth caching, and shorter than that of any known system. */
const defaultLifetimeMs = 10 * 60_000
const maxLifetimeMs = 24 * 3_600_000

/** Characters that fit into a header. RFC 6750 allows fewer, but systems use more. */
const tokenText = /^[!-~]{1,16384}$/

/** Reads a successful token response (RFC 6749, section 5.1); returns the problem as a string. */
export function readToken(body: string): IssuedToken | string {
  let answer: unknown
  try {
    answer = parseJson(body, { maxDepth: 20 })
  } catch {
    return 'the answer is not JSON'
  }
  const text = textAt(answer, 'access_token')
  if (text === null) return 'the answer has no access_token'
  if (!tokenText.test(text)) return 'the access_token in the answer cannot be sent in a header'
  const type = textAt(answer, 'token_type') ?? 'Bearer'
  if (type.toLowerCase() !== 'bearer') return 'the token in the answer is no bearer token'
  return { text, lifetimeMs: lifetime(valueAt(answer, 'expires_in')) }
}

/** Some systems send the number as a string. */
function lifetime(expiresIn: unknown): number {
  const seconds = typeof expiresIn === 'string' && expiresIn.trim() !== '' ? Number(expiresIn) : expiresIn
  if (typeof seconds !== 'number' || !(seconds >= 0)) return defaultLifetimeMs
  return Math.min(seconds * 1000, maxLifetimeMs)
}
