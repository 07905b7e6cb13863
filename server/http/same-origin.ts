import type { IncomingHttpHeaders } from 'node:http'
import { RequestError } from './request-error.ts'

/** Names that no name server gives to anybody else. */
const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i

/**
 * Refuses what a browser sends on behalf of another web site. The API key may sit in a cookie, so the request of a foreign
 * page would carry it. Programs that are no browsers send neither header. There is no CORS: no foreign page is ever let in.
 *
 * @param publicOrigin where people reach the server, where that is configured; then it counts, and loopback. Else whatever name they reach it by.
 * @throws RequestError `cross_site_request`
 */
export function refuseCrossSite(headers: IncomingHttpHeaders, publicOrigin: string | undefined): void {
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin' && site !== 'none') {
    throw new RequestError('cross_site_request', undefined, {
      hint: 'call the API from a program, or from a page of this server',
    })
  }
  const { origin, host } = headers
  if (origin === undefined || origin === publicOrigin) return
  const own = host !== undefined && (origin === `http://${host}` || origin === `https://${host}`)
  // A page of somebody else's name that leads to this address (DNS rebinding) is of the same origin as well.
  if (own && (publicOrigin === undefined || loopback.test(host))) return
  throw new RequestError('cross_site_request', undefined, {
    hint: 'the Origin header must name this server, as TOCSIN_PUBLIC_URL says it where it is set',
  })
}
