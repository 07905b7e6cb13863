import { SkillError } from './errors.ts'

/**
 * The path of a request below the connection's base URL. In a list, each item is one percent-encoded segment:
 * the way to insert values. A string is sent unchanged, begins with `/`, and contains nothing that a gateway
 * could read as another path.
 */
export type RequestPath = string | readonly (string | number)[]

/**
 * The text of a path. Whatever the values are, it leads nowhere but to the resource meant, also where
 * gateways on the way decode it once or twice, drop what follows a `;`, or read `\` as `/`.
 *
 * @throws SkillError `bad_path`
 * @example pathText(['api', 'devices', 'a/b', 'notes']) // '/api/devices/a%2Fb/notes'
 */
export function pathText(path: RequestPath): string {
  const text = typeof path === 'string' ? checkText(path) : joinSegments(path)
  if (text.length > maxLength) throw badPath(text, `is longer than ${maxLength} characters`)
  return text
}

/** Percent-encodes everything but letters, digits, `-`, `.`, `_` and `~`. Lone surrogates become U+FFFD. */
export function percentEncode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

/** Most servers refuse request lines from 8 KB on. */
const maxLength = 16_000

function joinSegments(segments: readonly (string | number)[]): string {
  if (segments.length === 0) throw badPath('', 'has no segments')
  return segments.map((segment) => `/${encodeSegment(String(segment))}`).join('')
}

function encodeSegment(segment: string): string {
  if (segment.length < maxLength && plainSegment.test(segment)) return segment
  if (segment.length > maxLength) throw badPath(segment, `is longer than ${maxLength} characters`)
  if (segment.trim() === '') throw badPath(segment, 'has an empty segment', 'give every segment a value')
  if (/\p{Cc}/u.test(segment)) throw badPath(segment, 'contains a control character')
  if (leadsUp(segment)) throw badPath(segment, "leaves its segment by '.' or '..'")
  return encodeURIComponent(segment.toWellFormed())
}

const asList = 'give values as items of a list, path: [devices, <value>], which percent-encodes them'
const asQuery = 'pass query parameters as `query`; ' + asList

// Blanks and control characters are dropped silently by some URL parsers; the others are read as the end of a
// path or of a segment.
const unusable = /[\s\p{Cc}\\;]/u
/** Characters that some systems normalize to `/` or `\`. */
const likeSlashes = /[\u2044\u2215\u2216\u29f5\u29f8\u29f9]/g

/** Paths and segments of plain characters, which pass all checks below. */
const plainPath = /^(?:\/[\w~-][\w.~-]*)+\/?$/
const plainSegment = /^[\w~-][\w.~-]*$/

function checkText(path: string): string {
  if (path.length < maxLength && plainPath.test(path)) return path
  if (path.length > maxLength) throw badPath(path, `is longer than ${maxLength} characters`)
  if (!path.startsWith('/') || path.startsWith('//')) throw badPath(path, "must begin with one '/'", asList)
  if (/[?#]/.test(path)) throw badPath(path, "must not contain '?' or '#'", asQuery)
  if (unusable.test(path)) throw badPath(path, 'contains a character that is not allowed in a path', asList)
  if (/%(25|2e|2f|3b|5c|0|1|7f)/i.test(path))
    throw badPath(path, 'must not contain %25, %2e, %2f, %3b, %5c or control characters', asList)
  const decoded = strictlyDecoded(path)
  if (decoded === undefined) throw badPath(path, 'is not percent-encoded as UTF-8', asList)
  if (/\p{Cc}/u.test(decoded) || count(toPlain(decoded)) > count(decoded))
    throw badPath(path, 'contains an ambiguous character', asList)
  if (path.slice(1).includes('//')) throw badPath(path, 'has an empty segment', asList)
  if (holdsDotSegment(path)) throw badPath(path, "must not contain '.' or '..' as a segment", asList)
  return path
}

function strictlyDecoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path)
  } catch {
    return undefined
  }
}

/** Number of path separators. */
const count = (text: string): number => text.match(/[/\\;?#%]/g)?.length ?? 0

/** Replaces full-width and other variants by their plain characters. */
const toPlain = (text: string): string => text.normalize('NFKC').replace(likeSlashes, '/')

/** Segments of dots alone: `..`, `..;x`, `．．`, each with its number of dots. */
const dots = /^[\s\p{Cc}]*(\.[.\s\p{Cc}]*)(?:[;?#]|$)/u

const holdsDotSegment = (text: string): boolean =>
  someReading(text, (segments) => segments.some((segment) => dots.test(segment)))

/**
 * Whether a decoded segment leads to its own directory or above it: `..`, `a/..`, `a/../../b`, but not
 * `https://a/b/../c`.
 */
function leadsUp(text: string): boolean {
  return someReading(text, (segments) => {
    let depth = 0
    for (const segment of segments) {
      const [, found] = dots.exec(segment) ?? []
      if (found !== undefined) depth -= found.trim() === '.' ? 0 : 1
      else if (segment !== '') depth += 1
      if (depth < 0) return true
    }
    return depth === 0
  })
}

/** Whether `holds` for the segments of a text, as written or after any number of decodings. */
function someReading(text: string, holds: (segments: readonly string[]) => boolean): boolean {
  let at = text
  for (let times = 0; times <= maxDecoded; times++) {
    if (holds(toPlain(at).split(/[/\\]/))) return true
    const next = decode(at)
    if (next.length === at.length) return false
    at = next
  }
  // Only an attacker encodes this often.
  return true
}

/** Maximum number of gateways, servers and applications that each decode once. */
const maxDecoded = 5

/**
 * Decodes once, as leniently as the most lenient system: also `%u002e` and UTF-8 that is longer than need
 * be.
 */
function decode(text: string): string {
  return text
    .replace(/%u([0-9a-f]{4})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)))
    .replace(/(?:%[0-9a-f]{2})+/gi, (run) => decodeBytes(Buffer.from(run.replaceAll('%', ''), 'hex')))
}

function decodeBytes(bytes: Buffer): string {
  let text = ''
  for (let at = 0; at < bytes.length;) {
    const lead = bytes[at]!
    const more = lead < 0xc0 ? 0 : lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3
    const rest = bytes.subarray(at + 1, at + 1 + more)
    let code = more === 0 ? lead : lead & (0x3f >> more)
    for (const byte of rest) code = (code << 6) | (byte & 0x3f)
    const isWhole =
      rest.length === more && rest.every((byte) => byte >> 6 === 2) && !(lead > 0x7f && more === 0)
    text += isWhole && code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd'
    at += isWhole ? 1 + more : 1
  }
  return text
}

function badPath(path: string, why: string, hint?: string): SkillError {
  const shown = path.length > 200 ? `${path.slice(0, 200)}…` : path
  const text = JSON.stringify(shown.split('?', 1)[0])
  return new SkillError('bad_path', `the path ${text} ${why}`, hint === undefined ? {} : { hint })
}
