import { request as openHttp, type ClientRequest } from 'node:http'
import { request as openHttps } from 'node:https'
import { urlToHttpOptions } from 'node:url'
import type { RequestFunction } from 'got'

/** Nobody's. */
const noPool = ''

/**
 * How got opens a request: with what this way out sets, and nothing else. Node copies the options of a request several times, and
 * got names thirty that are undefined, which costs as much as the rest of opening it. An option of got's that is to have an effect
 * on the connection has to be named here.
 */
export const openRequest =
  (pool = noPool): RequestFunction =>
  (url, options): ClientRequest => {
    const { protocol, hostname, port, path } = urlToHttpOptions(url)
    const { method, headers, agent, lookup, maxHeaderSize, rejectUnauthorized } = options
    const plain = { protocol, hostname, port, path, method, headers, agent, lookup, maxHeaderSize, pool }
    return protocol === 'https:' ? openHttps({ ...plain, rejectUnauthorized }) : openHttp(plain)
  }
