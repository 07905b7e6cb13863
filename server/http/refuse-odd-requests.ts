import type { IncomingMessage } from 'node:http'
import type { Middleware } from 'koa'
import { RequestError } from './request-error.ts'

/**
 * Refuses what Node would answer by itself, without a problem document, or take as it is: a request that does not name one host (RFC 9112, section
 * 3.2), and one that expects what the server does not do (RFC 9110, section 10.1.1).
 */
export const refuseOddRequests: Middleware = ({ req }, next) => {
  const hosts = hostsOf(req)
  if (hosts > 1 || (hosts === 0 && req.httpVersion !== '1.0')) {
    const message = hosts === 0 ? 'The request has no Host header.' : 'The request has several Host headers.'
    throw new RequestError('request_malformed', message)
  }
  const { expect } = req.headers
  if (expect !== undefined && expect.toLowerCase() !== '100-continue') {
    throw new RequestError('expectation_failed', undefined, {
      hint: 'send no Expect header, or `Expect: 100-continue`',
    })
  }
  return next()
}

/** Of several, Node keeps the first one. */
const hostsOf = ({ rawHeaders }: IncomingMessage): number =>
  rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host').length
