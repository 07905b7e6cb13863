import type { Secret } from '../../core/plugin/index.ts'
import { createEgress } from '../egress/egress.ts'
import { lineOf, RetryLater, type Destination } from './destination.ts'
import type { HttpTarget } from './settings.ts'

/**
 * Posts lines of JSON; 2xx means that the receiver stored them. The operator named the host, so it may be
 * private and use plain http.
 */
export function httpDestination({ url }: HttpTarget, authorization: Secret | undefined): Destination {
  const { host, protocol, port } = new URL(url)
  const allowed = port === '' ? `${host}:${protocol === 'http:' ? 80 : 443}` : host
  const egress = createEgress({ allowPrivate: [allowed] })
  return {
    check: () => Promise.resolve(),
    async send(entries, signal) {
      const { status, headers } = await egress.send({
        plugin: 'audit_export',
        isConnection: true,
        method: 'POST',
        url,
        headers: {
          'content-type': 'application/x-ndjson',
          ...(authorization && { authorization: authorization.reveal() }),
        },
        body: entries.map((entry) => `${lineOf(entry)}\n`).join(''),
        signal,
      })
      if (status >= 200 && status < 300) return
      const wait = /^\d{1,6}$/.exec(headers['retry-after'] ?? '')?.[0]
      throw new RetryLater(`the receiver answered ${status}`, {
        afterMs: wait === undefined ? 0 : Number(wait) * 1_000,
        isTooLarge: status === 413,
      })
    },
    close() {
      egress.close()
      return Promise.resolve()
    },
  }
}
