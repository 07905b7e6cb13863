import { SkillError } from '../../plugin/index.ts'

/**
 * Headers that control framing, routing or the connection (RFC 9110, 7.6.1 and 10.1.1; RFC 9112, 6). Only the HTTP
 * client sets them: otherwise a body could be read as a second request.
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

/** The problem of a header, as the end of a sentence; undefined if it is allowed. Never contains the value. */
export function headerProblem(name: string, value: string): string | undefined {
  if (!headerName.test(name) || reserved.has(name)) {
    return `the header ${JSON.stringify(name.slice(0, 100))} cannot be set`
  }
  if (headerValue.test(value)) return undefined
  return `the value of header '${name}' contains characters that are not allowed in headers`
}

/**
 * The headers with names in lower case.
 *
 * @throws SkillError `bad_header`, without the value
 */
export function checkHeaders(given: Readonly<Record<string, string>>): Record<string, string> {
  // Without a prototype, `__proto__` is a name like any other.
  const headers = Object.create(null) as Record<string, string>
  for (const mixed of Object.keys(given)) {
    const name = mixed.toLowerCase()
    const problem = headerProblem(name, given[mixed]!)
    if (problem !== undefined) throw new SkillError('bad_header', problem)
    headers[name] = given[mixed]!
  }
  return headers
}
