import { SkillError } from '../../plugin/index.ts'

/**
 * Headers that decide how a message is framed, where it goes, or what becomes of the connection that it travels on (RFC 9110, 7.6.1
 * and 10.1.1; RFC 9112, 6). Whoever could set one could make the other end read a body as a second request: they are the way out's.
 */
const reserved = new Set([
  'host',
  'content-length',
  'transfer-encoding',
  'connection',
  'proxy-connection',
  'proxy-authorization',
  'proxy-authenticate',
  'keep-alive',
  'upgrade',
  'http2-settings',
  'te',
  'trailer',
  'expect',
  'accept-encoding',
])
const headerName = /^[a-z0-9!#$%&'*+.^_`|~-]+$/
const headerValue = /^[\t\u0020-\u007e\u0080-\u00ff]*$/

/** What is wrong with a header, as the end of a sentence; undefined where it may be set. Never shows the value. */
export function headerProblem(name: string, value: string): string | undefined {
  if (!headerName.test(name) || reserved.has(name)) {
    return `the header ${JSON.stringify(name.slice(0, 100))} cannot be set`
  }
  if (headerValue.test(value)) return undefined
  return `the value of header '${name}' holds characters that headers cannot hold`
}

/**
 * The headers that somebody sets, names in lower case.
 *
 * @throws SkillError `bad_header`; values are not shown
 */
export function checkHeaders(given: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(given).map(([mixed, value]) => {
      const name = mixed.toLowerCase()
      const problem = headerProblem(name, value)
      if (problem !== undefined) throw new SkillError('bad_header', problem)
      return [name, value]
    }),
  )
}
