/**
 * Baseline of the benchmarks over HTTP, a process of its own: Koa routes that read and parse the same body and answer with JSON of
 * the same size. `/parse` does only that, `/keep` also stores the alert durably, `/call` then makes five calls one after the other
 * with got and stores the result in one more row; `/run` then runs five no-op steps. A second port does what `/parse` does without Koa.
 */
import { once } from 'node:events'
import { Agent, createServer, type Server } from 'node:http'
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

const notInvestigated = { alert_id: 'bench-custom-1', investigation_status: 0, investigation_retry_count: 0 }

const app = new Koa()
app.use(async (context) => {
  const text = await getRawBody(context.req, { encoding: 'utf8', limit: 1_048_576 })
  const alert = JSON.parse(text) as { alert_content: string; alert_type?: string }
  const row =
    context.path === '/parse' ? 0 : await keepAlert(store, alert.alert_type ?? null, alert.alert_content)
  if (context.path === '/call') await call()
  if (context.path === '/run') await keepRun(store, row, (value) => ({ value }))
  context.status = 201
  context.body = { ...alert, ...notInvestigated }
})

const bare = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const alert = JSON.parse(Buffer.concat(chunks).toString('utf8')) as object
    response.statusCode = 201
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ ...alert, ...notInvestigated }))
  })
})

const portOf = async (server: Server): Promise<number> => {
  if (!server.listening) await once(server, 'listening')
  return (server.address() as AddressInfo).port
}
const ports = {
  port: await portOf(app.listen(0, '127.0.0.1')),
  barePort: await portOf(bare.listen(0, '127.0.0.1')),
}
answerParent(ports, () => store.commits)
process.on('SIGTERM', () => process.exit(0))

async function call(): Promise<void> {
  const found: unknown[] = []
  for (let number = 1; number <= 5; number++) found.push(await client(`${stub}/${number}`).json())
  const output = JSON.stringify(found)
  await store.write(() => store.run(`INSERT INTO runs (status, output) VALUES ('completed', ?)`, output))
}
