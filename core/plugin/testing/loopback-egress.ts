import { request as open } from 'node:http'
import { RetryableError } from '../index.ts'
import type { Egress, EgressRequest, EgressResponse } from '../../ports.ts'

/**
 * A way out for tests that leads to this machine only: plain HTTP to 127.0.0.1, no compression, no limits. The runtime's own is
 * `server/egress`.
 */
export const loopbackEgress: Egress = {
  send: (request) =>
    new Promise((resolve, reject) => {
      request.signal.throwIfAborted()
      const url = new URL(request.url)
      if (url.protocol !== 'http:' || url.hostname !== '127.0.0.1') {
        reject(new Error(`a test may call its sandbox only, not ${url.origin}`))
        return
      }
      exchange(url, request).then(resolve, (cause: unknown) => {
        const { reason } = request.signal
        reject(
          request.signal.aborted ? reason : new RetryableError('network_error', String(cause), { cause }),
        )
      })
    }),
}

function exchange(url: URL, { method, headers, body, signal }: EgressRequest): Promise<EgressResponse> {
  return new Promise((resolve, reject) => {
    const request = open(url, { method, headers, signal, agent: false }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const pairs = Object.entries(response.headers).map(([name, value]) => [
          name,
          [value].flat().join(', '),
        ])
        resolve({
          status: response.statusCode ?? 0,
          headers: Object.fromEntries(pairs) as Record<string, string>,
          body: Buffer.concat(chunks).toString(),
        })
      })
    })
    request.on('error', reject)
    request.end(body)
  })
}
