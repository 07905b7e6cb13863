import { table } from '../../cli/output/table.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { alertBody } from './alert-body.ts'
import { startChild, type Child } from './child.ts'
import { post } from './load.ts'
import { cells, figureTitles, type Figures } from './measure.ts'

/** Without a type: stored durably, not investigated. */
const body = alertBody(1, 2_048)

/** Alerts acknowledged durably, beside a bare Koa route that parses the same body, and one that also keeps it. */
export async function benchIntake({
  seconds,
  connections,
}: {
  seconds: number
  connections: readonly number[]
}): Promise<void> {
  const folder = await makeTemporaryFolder()
  const env = { TOCSIN_DATA_DIR: folder.path }
  const least = await startChild<{ port: number }>('least-server.ts', env)
  const tocsin = await startChild<{ apiUrl: string; key: string }>('tocsin-server.ts', env)
  const headers = { 'content-type': 'application/json' }
  const measure = async (child: Child<unknown>, url: string, count: number): Promise<Figures> => {
    const usage = () => child.ask('usage')
    const load = {
      url,
      headers: { ...headers, cookie: `Session=${tocsin.said.key}` },
      body,
      connections: count,
      usage,
    }
    await post({ ...load, seconds: Math.min(1, seconds) })
    return await post({ ...load, seconds })
  }
  try {
    const rows: string[][] = []
    for (const count of connections) {
      const bare = await measure(least, `http://127.0.0.1:${least.said.port}/parse`, count)
      const kept = await measure(least, `http://127.0.0.1:${least.said.port}/keep`, count)
      const ours = await measure(tocsin, `${tocsin.said.apiUrl}/alerts`, count)
      rows.push(['bare Koa route', String(count), ...cells(bare), ''])
      rows.push(['and an insert', String(count), ...cells(kept), ''])
      rows.push([
        'Tocsin intake',
        String(count),
        ...cells(ours),
        (ours.perSecond / kept.perSecond).toFixed(2),
      ])
    }
    console.log(
      `\nIntake: alerts of ${body.length} bytes, acknowledged durably; ratio to the Koa route with an insert\n`,
    )
    console.log(table(['', 'CONNECTIONS', ...figureTitles, 'RATIO'], rows))
  } finally {
    await Promise.all([least.stop(), tocsin.stop()])
    await folder.remove()
  }
}
