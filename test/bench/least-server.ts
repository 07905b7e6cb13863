/**
 * What the benchmarks over HTTP are compared with, as a process of its own: Koa routes that read and parse the same body and
 * answer with JSON of the same size. `/parse` does only that, `/keep` also keeps the alert durably, `/call` then makes five calls
 * one after the other with got, and keeps what came of it in one more row; `/run` then runs five steps that do nothing.
 */
import { Agent } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import got from 'got'
import Koa from 'koa'
import getRawBody from 'raw-body'
import { answerParent } from './answer-parent.ts'
import { LeastStore } from './least-store.ts'
import { keepAlert, keepRun } from './least-work.ts'

const store = new LeastStore(join(process.env['TOCSIN_DATA_DIR'] ?? '', 'least.db'))
const stub = process.env['TOCSIN_BENCH_STUB'] ?? ''
const client = got.extend({ agent: { http: new Agent({ keepAlive: true }) }, retry: { limit: 0 } })

const app = new Koa()
app.use(async (context) => {
  const text = await getRawBody(context.req, { encoding: 'utf8', limit: 1_048_576 })
  const alert = JSON.parse(text) as { alert_content: string; alert_type?: string }
  const row =
    context.path === '/parse' ? 0 : await keepAlert(store, alert.alert_type ?? null, alert.alert_content)
  if (context.path === '/call') await call()
  if (context.path === '/run') await keepRun(store, row, (value) => ({ value }))
  context.status = 201
  context.body = {
    ...alert,
    alert_id: 'bench-custom-1',
    investigation_status: 0,
    investigation_retry_count: 0,
  }
})
const server = app.listen(0, '127.0.0.1', () => {
  answerParent({ port: (server.address() as AddressInfo).port }, () => store.commits)
})
process.on('SIGTERM', () => process.exit(0))

async function call(): Promise<void> {
  const found: unknown[] = []
  for (let number = 1; number <= 5; number++) found.push(await client(`${stub}/${number}`).json())
  const output = JSON.stringify(found)
  await store.write(() => store.run(`INSERT INTO runs (status, output) VALUES ('completed', ?)`, output))
}
