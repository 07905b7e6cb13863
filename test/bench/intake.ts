import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { table } from '../../cli/output/table.ts'
import { startChild } from './child.ts'
import { cells, post, type Figures } from './load.ts'

const connections = [1, 32, 256]

/** An alert whose body is 2 KB long. Without a type: stored durably, not investigated. */
const body = JSON.stringify({
  alert_provider: 'custom',
  organization_code: 'main',
  alert_content: 'x'.repeat(2048 - 76),
})

/** Alerts acknowledged durably per second, beside a bare Koa route that only parses the same body. */
export async function benchIntake(seconds: number): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-bench-'))
  const bare = await startChild<{ port: number }>('bare-koa.ts')
  const tocsin = await startChild<{ apiUrl: string; key: string }>('tocsin-server.ts', {
    TOCSIN_DATA_DIR: folder,
  })
  try {
    const rows: string[][] = []
    for (const count of connections) {
      const baseline = await measure(`http://127.0.0.1:${bare.said.port}/`, '', count, seconds)
      const intake = await measure(`${tocsin.said.apiUrl}/alerts`, tocsin.said.key, count, seconds)
      rows.push(['bare Koa route', String(count), ...cells(baseline), ''])
      rows.push(['Tocsin intake', String(count), ...cells(intake), ratio(intake, baseline)])
    }
    console.log(`\nIntake: alerts of ${body.length} bytes, acknowledged durably\n`)
    console.log(table(['', 'CONNECTIONS', 'PER SECOND', 'P50 MS', 'P99 MS', 'RATIO'], rows))
  } finally {
    await Promise.all([bare.stop(), tocsin.stop()])
    await rm(folder, { recursive: true, force: true })
  }
}

/** After a second of warming up. */
async function measure(url: string, key: string, count: number, seconds: number): Promise<Figures> {
  const headers = { 'content-type': 'application/json', cookie: `Session=${key}` }
  const load = { url, headers, body, connections: count }
  await post({ ...load, seconds: 1 })
  return post({ ...load, seconds })
}

function ratio(ours: Figures, baseline: Figures): string {
  return (ours.perSecond / baseline.perSecond).toFixed(2)
}
