import { parseJson } from '../../common/json.ts'
import { textAt, valueAt } from '../../plugin/index.ts'

/** A token as it was handed out. */
export interface IssuedToken {
  readonly text: string
  /** How long it is good for, in milliseconds. */
  readonly lifetimeMs: number
}

/** Where the answer does not say: long enough to be worth keeping, short enough to be true of any system known. */
const defaultLifetimeMs = 10 * 60_000
const maxLifetimeMs = 24 * 3_600_000

/** What a token may hold: it has to fit into a header. RFC 6750 allows less; systems are not that strict. */
const tokenText = /^[!-~]{1,16384}$/

/** Reads a successful answer to a token request (RFC 6749, section 5.1); a text says what is wrong with it. */
export function readToken(body: string): IssuedToken | string {
  let answer: unknown
  try {
    answer = parseJson(body, { maxDepth: 20 })
  } catch {
    return 'the answer is no JSON'
  }
  const text = textAt(answer, 'access_token')
  if (text === null) return 'the answer has no access_token'
  if (!tokenText.test(text)) return 'the access_token in the answer cannot be sent in a header'
  const type = textAt(answer, 'token_type') ?? 'Bearer'
  if (type.toLowerCase() !== 'bearer') return 'the token in the answer is no bearer token'
  return { text, lifetimeMs: lifetime(valueAt(answer, 'expires_in')) }
}

/** Some systems write the number as a text. */
function lifetime(expiresIn: unknown): number {
  const seconds = typeof expiresIn === 'string' && expiresIn.trim() !== '' ? Number(expiresIn) : expiresIn
  if (typeof seconds !== 'number' || !(seconds >= 0)) return defaultLifetimeMs
  return Math.min(seconds * 1000, maxLifetimeMs)
}
