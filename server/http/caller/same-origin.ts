import type { IncomingHttpHeaders } from 'node:http'
import { isLoopback } from '../../config/loopback.ts'
import { RequestError } from '../request/request-error.ts'

/** The names under which browsers reach the pages of this server. */
export interface OwnNames {
  /** The configured public address. If set, only it and loopback count. */
  readonly publicOrigin: string | undefined
  /**
   * Whether every host name counts. This does not stop DNS rebinding, where a foreign page has the
   * host name of the request.
   */
  readonly any: boolean
}

export function ownNames(
  host: string,
  publicUrl: string | undefined,
  trustedProxies: readonly string[],
): OwnNames {
  if (publicUrl !== undefined) return { publicOrigin: new URL(publicUrl).origin, any: false }
  // A server that listens on loopback is reached by local names, unless a proxy is in front.
  return { publicOrigin: undefined, any: !isLoopback(host) || trustedProxies.length > 0 }
}

/**
 * Refuses cross-site requests of browsers, which would carry the API key in a cookie. Other clients send
 * neither header. There is no CORS.
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
    hint: 'the Origin header must name this server: the name in TOCSIN_PUBLIC_URL, or a local name such as localhost',
  })
}

/**
 * After a sign-in elsewhere, the browser returns to the public address, where only the cookies of that address exist.
 *
 * @throws RequestError `sign_in_elsewhere`
 */
export function requireSamePage(origin: string | undefined, uri: string): void {
  const wanted = new URL(uri).origin
  if (origin === undefined || origin === wanted) return
  throw new RequestError(
    'sign_in_elsewhere',
    `The other system sends the browser back to ${wanted}, not to ${origin}.`,
    {
      hint: `open the page at ${wanted}, or set TOCSIN_PUBLIC_URL to the address that you use`,
    },
  )
}
