import type { IncomingHttpHeaders } from 'node:http'
import { RequestError } from './request-error.ts'

/**
 * Refuses what a browser sends on behalf of another web site. The API key may sit in a cookie, so the request of a foreign
 * page would carry it. Programs that are no browsers send neither header. There is no CORS: no foreign page is ever let in.
 *
 * @param publicOrigin where people reach the server, when it stands behind a proxy
 * @throws RequestError `cross_site_request`
 */
export function refuseCrossSite(headers: IncomingHttpHeaders, publicOrigin: string | undefined): void {
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin' && site !== 'none') {
    throw new RequestError('cross_site_request', undefined, {
      hint: 'call the API from a program, or from a page of this server',
    })
  }
  const { origin } = headers
  if (origin === undefined || origin === publicOrigin) return
  const own =
    headers.host !== undefined &&
    (origin === `http://${headers.host}` || origin === `https://${headers.host}`)
  if (own) return
  throw new RequestError('cross_site_request', undefined, {
    hint: 'the Origin header must name this server; behind a proxy set TOCSIN_PUBLIC_URL',
  })
}
