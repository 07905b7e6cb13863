import { pathText, SkillError, type QueryValue, type RequestPath } from '../../plugin/index.ts'

/**
 * The address of a call below a connection's base address. Whatever the path holds, the result has the base's origin and
 * begins with the base's path: a value that somebody else wrote can only ever choose among the resources meant.
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
  const text = `${base.origin}${basePath}${below}`
  const address = URL.canParse(text) ? new URL(text) : undefined
  // The checks of the path should leave nothing for this one to find.
  if (
    address === undefined ||
    address.origin !== base.origin ||
    !address.pathname.startsWith(`${basePath}/`)
  ) {
    throw badPath(below, 'leads out of the connection')
  }
  addQuery(address, query)
  return address
}

/**
 * The address of a call without a connection.
 *
 * @throws SkillError `bad_path` when it is not an absolute http or https address, or carries credentials
 */
export function absoluteAddress(path: RequestPath, query: Readonly<Record<string, QueryValue>> = {}): URL {
  const text = typeof path === 'string' ? path : pathText(path)
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
