import { SkillError, type QueryValue } from '../plugin/index.ts'

// What has no place in an address as a plugin writes it: blanks and control characters (URL parsers drop some of them
// silently), backslashes (read as slashes) and fragments.
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const unusable = /[\s\\#\u0000-\u001f\u007f]/

/**
 * The address of a call below a connection's base address. Whatever the path holds, the result has the base's origin and
 * begins with the base's path: a value that somebody else wrote can only ever choose among the resources meant.
 *
 * @throws SkillError `bad_path`
 */
export function addressBelow(base: URL, path: string, query: Readonly<Record<string, QueryValue>> = {}): URL {
  if (!path.startsWith('/') || path.startsWith('//')) throw badPath(path, "must begin with one '/'")
  if (unusable.test(path)) throw badPath(path, 'holds a character that has no place in a path')
  const [onlyPath = ''] = path.split('?', 1)
  if (onlyPath.split('/').some(isDotSegment)) throw badPath(path, "must not hold '.' or '..' as a segment")
  const basePath = base.pathname.replace(/\/+$/, '')
  const text = `${base.origin}${basePath}${path}`
  const address = URL.canParse(text) ? new URL(text) : undefined
  // The checks above should leave nothing for this one to find.
  if (
    address === undefined ||
    address.origin !== base.origin ||
    !address.pathname.startsWith(`${basePath}/`)
  ) {
    throw badPath(path, 'leads out of the connection')
  }
  addQuery(address, query)
  return address
}

/**
 * The address of a call without a connection.
 *
 * @throws SkillError `bad_path` when it is not an absolute http or https address, or carries credentials
 */
export function absoluteAddress(text: string, query: Readonly<Record<string, QueryValue>> = {}): URL {
  const address = URL.canParse(text) ? new URL(text) : undefined
  if (address === undefined || !isWeb(address)) {
    throw badPath(text, 'must be an absolute https address, since the step names no connection')
  }
  if (address.username !== '' || address.password !== '') throw badPath(text, 'must not carry credentials')
  address.hash = ''
  addQuery(address, query)
  return address
}

/** A connection's base address, or undefined when it is not usable as one. */
export function parseBase(text: string): URL | undefined {
  const base = URL.canParse(text) ? new URL(text) : undefined
  if (base === undefined || !isWeb(base)) return undefined
  return base.username === '' && base.password === '' && base.search === '' && base.hash === ''
    ? base
    : undefined
}

function isWeb(url: URL): boolean {
  // Whether plain http may be used, and where, is decided by egress.
  return url.protocol === 'https:' || url.protocol === 'http:'
}

/** `..` and `%2e%2E` alike: URL parsers resolve both. `encodeURIComponent('..')` is `..`, so a value may well be one. */
function isDotSegment(segment: string): boolean {
  const plain = segment.replace(/%2e/gi, '.')
  return plain === '.' || plain === '..'
}

function addQuery(address: URL, query: Readonly<Record<string, QueryValue>>): void {
  const pairs = Object.entries(query).flatMap(([name, value]) => {
    const values = Array.isArray(value) ? (value as readonly unknown[]) : value === undefined ? [] : [value]
    return values.map((one) => `${encode(name)}=${encode(String(one))}`)
  })
  if (pairs.length > 0) address.search += (address.search === '' ? '?' : '&') + pairs.join('&')
}

/** Percent-encoding throughout; `+` for a blank is not understood everywhere. Lone surrogates become U+FFFD. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll("'", '%27')
}

function badPath(path: string, why: string): SkillError {
  const shown = path.length > 200 ? `${path.slice(0, 200)}…` : path
  return new SkillError('bad_path', `the path ${JSON.stringify(shown.split('?', 1)[0])} ${why}`)
}
