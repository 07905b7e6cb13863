import { request as open, type IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { connect } from 'node:tls'
import { createGunzip } from 'node:zlib'
import { RetryableError, TocsinError } from '../index.ts'
import type { Egress, EgressRequest, EgressResponse } from '../../ports/egress.ts'
import { decodeText, readBytes } from '../../common/read-body.ts'

/**
 * An egress for tests that reaches only this machine: plain HTTP to 127.0.0.1, with the body limit of
 * `server/egress`, and TLS without STARTTLS.
 */
export const loopbackEgress: Egress = {
  async send(request) {
    request.signal.throwIfAborted()
    const url = new URL(request.url)
    if (url.protocol !== 'http:' || url.hostname !== '127.0.0.1') {
      throw new Error(`a test may call its sandbox only, not ${url.origin}`)
    }
    try {
      return await exchange(url, request)
    } catch (cause) {
      if (request.signal.aborted) throw request.signal.reason
      throw cause instanceof TocsinError
        ? cause
        : new RetryableError('network_error', String(cause), {
            hint: 'check that the sandbox is still running',
            cause,
          })
    }
  },
  async connect({ host, port, tls, network, signal }) {
    signal.throwIfAborted()
    if (host !== '127.0.0.1' || tls !== 'immediate')
      throw new Error(`a test may connect to its sandbox only, with immediate TLS, not to ${host}`)
    const socket = connect({ host, port, ca: network?.ca })
    socket.setNoDelay(true)
    signal.addEventListener('abort', () => socket.destroy(signal.reason as Error), { once: true })
    return await new Promise((resolve, reject) => {
      socket.once('secureConnect', () => resolve(socket))
      // This listener is never removed: a late error must not crash the process.
      socket.on('error', (cause) =>
        reject(
          signal.aborted
            ? (signal.reason as Error)
            : new RetryableError('network_error', `could not reach ${host}:${port}: ${cause.message}`, {
                hint: 'check that the sandbox is still running',
                details: { sent: false },
                cause,
              }),
        ),
      )
    })
  },
}

async function exchange(
  url: URL,
  { method, headers, body, maxBytes, signal }: EgressRequest,
): Promise<EgressResponse> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    // Node frames the body of a DELETE only by this header.
    const framed = body === undefined ? headers : { ...headers, 'content-length': Buffer.byteLength(body) }
    open(url, { method, headers: framed, signal, agent: false }, resolve).on('error', reject).end(body)
  })
  const isZipped = response.headers['content-encoding'] === 'gzip'
  const stream = isZipped ? response.compose<NodeJS.ReadWriteStream>(createGunzip()) : response
  const pairs = Object.entries(response.headers).map(([name, value]) => [name, [value].flat().join(', ')])
  const bytes = await readBytes(stream as Readable, maxBytes)
  return {
    status: response.statusCode ?? 0,
    headers: Object.fromEntries(pairs) as Record<string, string>,
    ...(maxBytes === undefined
      ? { body: decodeText(bytes, response.headers['content-type']) }
      : { body: '', bytes }),
  }
}
