import { pathText, SkillError, type QueryValue, type RequestPath } from '../../plugin/index.ts'

/**
 * The address of a request below a connection's base address. Whatever the path contains, the result has the
 * origin and path prefix of the base, so untrusted values can only select among its resources.
 *
 * @throws SkillError `bad_path`
 */
export function addressBelow(
  base: URL,
  path: RequestPath,
  query: Readonly<Record<string, QueryValue>> = {},
): URL {
  const below = pathText(path)
  const basePath = base.pathname.replace(/\/+$/, '')
  const { origin } = base
  const address = URL.parse(`${origin}${basePath}${below}${queryText(query, '?')}`)
  // Defence in depth: the path checks should catch everything before.
  if (address === null || address.origin !== origin || !address.pathname.startsWith(`${basePath}/`)) {
    throw badPath(below, 'leads outside the connection')
  }
  return address
}

/**
 * The address of a request without a connection.
 *
 * @throws SkillError `bad_path` if it is not an absolute http(s) address, or contains credentials
 */
export function absoluteAddress(path: RequestPath, query: Readonly<Record<string, QueryValue>> = {}): URL {
  const text = typeof path === 'string' ? path : pathText(path)
  const address = URL.parse(text)
  if (address === null || !isWeb(address)) {
    throw badPath(text, 'must be an absolute https address because the step names no connection')
  }
  if (address.username !== '' || address.password !== '') throw badPath(text, 'must not contain credentials')
  address.hash = ''
  const added = queryText(query, address.search === '' ? '?' : '&')
  if (added !== '') address.search += added
  return address
}

/** A connection's base address; undefined if it is not usable. */
export function parseBase(text: string): URL | undefined {
  const base = URL.canParse(text) ? new URL(text) : undefined
  if (base === undefined || !isWeb(base)) return undefined
  return base.username === '' && base.password === '' && base.search === '' && base.hash === ''
    ? base
    : undefined
}

function isWeb(url: URL): boolean {
  // Egress decides where plain http is allowed.
  return url.protocol === 'https:' || url.protocol === 'http:'
}

/** The parameters, each percent-encoded, behind `lead`; empty if there are none. */
function queryText(query: Readonly<Record<string, QueryValue>>, lead: '?' | '&'): string {
  const pairs = Object.entries(query).flatMap(([name, value]) => {
    const values = Array.isArray(value) ? (value as readonly unknown[]) : value === undefined ? [] : [value]
    return values.map((one) => `${encode(name)}=${encode(String(one))}`)
  })
  return pairs.length === 0 ? '' : lead + pairs.join('&')
}

/** Percent-encodes everything, because not every system reads `+` as a space. Lone surrogates become U+FFFD. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll("'", '%27')
}

function badPath(path: string, why: string): SkillError {
  const shown = path.length > 200 ? `${path.slice(0, 200)}…` : path
  return new SkillError('bad_path', `the path ${JSON.stringify(shown.split('?', 1)[0])} ${why}`)
}
