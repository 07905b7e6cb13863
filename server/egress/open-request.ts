import { request as openHttp, type ClientRequest } from 'node:http'
import { request as openHttps } from 'node:https'
import { urlToHttpOptions } from 'node:url'
import type { RequestFunction } from 'got'

/** Nobody's. */
const noPool = ''

/**
 * How got opens a request: with what this way out sets, and nothing else. Node copies the options of a request several times, and
 * got names thirty that are undefined, which costs as much as the rest of opening it. An option of got's that is to have an effect
 * on the connection has to be named here. `onSent` is told once, before anything of the request can have left.
 */
export const openRequest =
  (pool = noPool, onSent: () => void = () => {}): RequestFunction =>
  (url, options): ClientRequest => {
    const { protocol, hostname, port, path } = urlToHttpOptions(url)
    const { method, headers, agent, lookup, maxHeaderSize, rejectUnauthorized } = options
    const plain = { protocol, hostname, port, path, method, headers, agent, lookup, maxHeaderSize, pool }
    const isSecure = protocol === 'https:'
    const request = isSecure ? openHttps({ ...plain, rejectUnauthorized }) : openHttp(plain)
    return tellWhenSent(request, isSecure ? 'secureConnect' : 'connect', onSent)
  }

/** Node keeps what is written until the connection is there and, over TLS, until its certificate was verified. */
function tellWhenSent(
  request: ClientRequest,
  connected: 'connect' | 'secureConnect',
  onSent: () => void,
): ClientRequest {
  return request.once('socket', (socket) => {
    if (request.reusedSocket || (connected === 'connect' && !socket.connecting)) onSent()
    else socket.once(connected, onSent)
  })
}
