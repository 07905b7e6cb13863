import type { IncomingMessage } from 'node:http'
import type { Middleware } from 'koa'
import { RequestError } from './request-error.ts'

/** A path, with a query or without: no backslash and no fragment, which programs on the way may read in another way than we do. */
const target = /^\/[!-"$-[\]-~]*$/

/** A host and a port, or nothing (RFC 9112, section 3.2; RFC 3986, section 3.2.2). */
const hostAndPort = /^(?:\[[\da-fA-Fv:.]{2,60}\]|(?:[\w.~!$&'()*+,;=-]|%[\da-fA-F]{2})*)(?::\d*)?$/

/** Headers that decide something, of which there is one at most. Of several Node keeps the first one, or joins them. */
const single: ReadonlySet<string> = new Set(['authorization', 'content-encoding', 'content-type', 'origin'])

/**
 * Refuses what Node would answer by itself, without a problem document, or take as it is: a target that is no path (RFC 9112, section 3.2.1), a request
 * that does not name one host, or none that can be (section 3.2), a header that stands twice and can only have one value (RFC 9110, section 5.3), and one that
 * expects what the server does not do (section 10.1.1). A proxy in front may have decided by the other of two values.
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
    throw new RequestError('request_malformed', 'The Host header names no host.')
  if (twice !== undefined)
    throw new RequestError('request_malformed', `The request has several headers '${twice}'.`)
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
    const name = rawHeaders[at]!.toLowerCase()
    if (name === 'host') hosts++
    if (!single.has(name)) continue
    if (seen.has(name)) twice ??= name
    seen.add(name)
  }
  return { hosts, twice }
}
