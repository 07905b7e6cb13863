import type { IncomingHttpHeaders } from 'node:http'
import { isLoopback } from '../../config/loopback.ts'
import { RequestError } from '../request/request-error.ts'

/** By which names of this server its own pages are known. */
export interface OwnNames {
  /** Where people reach the server, where that is configured. Then it counts, and loopback. */
  readonly publicOrigin: string | undefined
  /** Whatever name they reach it by. A page of somebody else's name that leads to this address (DNS rebinding) is its own then. */
  readonly any: boolean
}

export function ownNames(
  host: string,
  publicUrl: string | undefined,
  trustedProxies: readonly string[],
): OwnNames {
  if (publicUrl !== undefined) return { publicOrigin: new URL(publicUrl).origin, any: false }
  // What only this machine reaches is reached by its own names, unless somebody stands in front.
  return { publicOrigin: undefined, any: !isLoopback(host) || trustedProxies.length > 0 }
}

/**
 * Refuses what a browser sends on behalf of another web site. The API key may sit in a cookie, so the request of a foreign
 * page would carry it. Programs that are no browsers send neither header. There is no CORS: no foreign page is ever let in.
 *
 * @throws RequestError `cross_site_request`
 */
export function refuseCrossSite(headers: IncomingHttpHeaders, { publicOrigin, any }: OwnNames): void {
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin' && site !== 'none') {
    throw new RequestError('cross_site_request', undefined, {
      hint: 'call the API from a program, or from a page of this server',
    })
  }
  const { origin, host } = headers
  if (origin === undefined || origin === publicOrigin) return
  const own = host !== undefined && (origin === `http://${host}` || origin === `https://${host}`)
  if (own && (any || isLoopback(host.replace(/:\d+$/, '')))) return
  throw new RequestError('cross_site_request', undefined, {
    hint: 'the Origin header must name this server, by the name in TOCSIN_PUBLIC_URL or by one of this machine, such as localhost',
  })
}
