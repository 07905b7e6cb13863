import { Agent, get } from 'node:http'
import { text } from 'node:stream/consumers'
import got from 'got'
import { table } from '../../cli/output/table.ts'
import { createEgress } from '../../server/egress/egress.ts'
import { usage } from './answer-parent.ts'
import { startChild } from './child.ts'
import { cells, figureTitles, measure } from './measure.ts'

/** What one call of another system costs: through the way out with got behind it, with got alone, with Node's own client. */
export async function benchEgress({
  seconds,
  connections,
}: {
  seconds: number
  connections: readonly number[]
}): Promise<void> {
  const stub = await startChild<{ url: string }>('stub-server.ts')
  const egress = createEgress({ allowPrivate: ['127.0.0.1'] })
  const agent = new Agent({ keepAlive: true })
  const client = got.extend({ agent: { http: agent }, retry: { limit: 0 } })
  const url = `${stub.said.url}/1`
  const headers = { accept: 'application/json', authorization: 'Bearer 0123456789abcdef' }
  const { signal } = new AbortController()
  const ways = {
    'node:http': () =>
      new Promise<unknown>((resolve, reject) => {
        get(url, { agent, headers }, (response) => resolve(text(response).then(JSON.parse))).on(
          'error',
          reject,
        )
      }),
    got: () => client(url, { headers }).json(),
    'Tocsin egress (got)': async () =>
      JSON.parse(
        (await egress.send({ method: 'GET', url, headers, body: undefined, signal })).body,
      ) as unknown,
  }
  try {
    const rows: string[][] = []
    for (const count of connections.filter((count) => count <= 32)) {
      for (const [name, call] of Object.entries(ways)) {
        const one = async () => void (await call())
        await measure(one, { count, seconds: Math.min(1, seconds), usage: () => usage(0) })
        const figures = await measure(one, { count, seconds, usage: () => usage(0) })
        rows.push([name, String(count), ...cells(figures).slice(0, -1)])
      }
    }
    console.log('\nCalls: one small answer from a local system\n')
    console.log(table(['', 'AT ONCE', ...figureTitles.slice(0, -1)], rows))
  } finally {
    egress.close()
    agent.destroy()
    await stub.stop()
  }
}
