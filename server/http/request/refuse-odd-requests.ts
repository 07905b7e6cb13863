import type { IncomingMessage } from 'node:http'
import type { Middleware } from 'koa'
import { RequestError } from './request-error.ts'

/** A path with an optional query: no backslash and no fragment, which proxies may read differently. */
const target = /^\/[!-"$-[\]-~]*$/

/** A host with an optional port, or empty (RFC 9112, section 3.2; RFC 3986, section 3.2.2). */
const hostAndPort = /^(?:\[[\da-fA-Fv:.]{2,60}\]|(?:[\w.~!$&'()*+,;=-]|%[\da-fA-F]{2})*)(?::\d*)?$/

/** Headers that must not be repeated. Node keeps the first, or joins them. */
const single: ReadonlySet<string> = new Set(['authorization', 'content-encoding', 'content-type', 'origin'])

const lengths: ReadonlySet<number> = new Set(['host', ...single].map(({ length }) => length))

/**
 * Refuses requests that Node would answer without a problem document, or accept: a target that is not a path
 * (RFC 9112, section 3.2.1), a missing, repeated or invalid Host (section 3.2), a repeated single-value
 * header (RFC 9110, section 5.3), and an unsupported expectation (section 10.1.1). A proxy in front may have
 * used the other of two values.
 */
export const refuseOddRequests: Middleware = ({ req }, next) => {
  if (!target.test(req.url ?? ''))
    throw new RequestError('request_malformed', 'The request target is not a path.')
  const { hosts, twice } = headersOf(req)
  if (hosts > 1 || (hosts === 0 && req.httpVersion !== '1.0')) {
    const message = hosts === 0 ? 'The request has no Host header.' : 'The request has several Host headers.'
    throw new RequestError('request_malformed', message)
  }
  if (!hostAndPort.test(req.headers.host ?? ''))
    throw new RequestError('request_malformed', 'The Host header is not a valid host.')
  if (twice !== undefined)
    throw new RequestError('request_malformed', `The request has several '${twice}' headers.`)
  const { expect } = req.headers
  if (expect !== undefined && expect.toLowerCase() !== '100-continue') {
    throw new RequestError('expectation_failed', undefined, {
      hint: 'send no Expect header, or `Expect: 100-continue`',
    })
  }
  return next()
}

function headersOf({ rawHeaders }: IncomingMessage): {
  readonly hosts: number
  readonly twice: string | undefined
} {
  let hosts = 0
  let twice: string | undefined
  const seen = new Set<string>()
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const given = rawHeaders[at]!
    if (!lengths.has(given.length)) continue
    const name = given.toLowerCase()
    if (name === 'host') hosts++
    if (!single.has(name)) continue
    if (seen.has(name)) twice ??= name
    seen.add(name)
  }
  return { hosts, twice }
}
