import { Agent, get } from 'node:http'
import { text } from 'node:stream/consumers'
import got from 'got'
import { createEgress } from '../../server/egress/egress.ts'
import { usage } from './answer-parent.ts'
import { startChild } from './child.ts'
import { compare, type Way } from './compare.ts'
import { measure } from './measure.ts'
import type { Options } from './options.ts'

/** Concurrent requests to one host: the limit of the outbound client. */
const maxAtOnce = 16

/**
 * Cost of one call to another system: with Node's own client, with its `fetch` (undici with the web's
 * streams around it), with got, and through the egress.
 */
export async function benchEgress(options: Options): Promise<void> {
  const stub = await startChild<{ url: string }>('stub-server.ts')
  const egress = createEgress({ allowPrivate: ['127.0.0.1'] })
  const agent = new Agent({ keepAlive: true })
  const client = got.extend({ agent: { http: agent }, retry: { limit: 0 } })
  const url = `${stub.said.url}/1`
  const headers = { accept: 'application/json', authorization: 'Bearer 0123456789abcdef' }
  const calling =
    (call: () => Promise<unknown>): Way =>
    (count, seconds) =>
      measure(async () => void (await call()), { count, seconds, usage: () => usage(0) })
  const viaEgress = async () => {
    const { signal } = new AbortController()
    return JSON.parse(
      (await egress.send({ method: 'GET', url, headers, body: undefined, isConnection: true, signal })).body,
    ) as unknown
  }
  const viaNode = () =>
    new Promise<unknown>((resolve, reject) => {
      get(url, { agent, headers }, (response) => resolve(text(response).then(JSON.parse))).on('error', reject)
    })
  try {
    await compare({
      ...options,
      title: 'Calls: one small answer from a local system',
      ways: {
        'node:http': calling(viaNode),
        fetch: calling(async () => (await fetch(url, { headers })).json()),
        got: calling(() => client(url, { headers }).json()),
        "Tocsin's client": calling(viaEgress),
      },
      baseline: 'got',
      connections: [...new Set(options.connections.map((count) => Math.min(count, maxAtOnce)))],
    })
  } finally {
    egress.close()
    agent.destroy()
    await stub.stop()
  }
}
