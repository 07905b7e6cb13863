/**
 * The baseline of the intake benchmark, as a process of its own: a Koa route that reads and parses the same body and answers
 * with JSON of the same size. No checks, no storage. Prints the port it listens on.
 */
import Koa from 'koa'
import getRawBody from 'raw-body'

const app = new Koa()
app.use(async (context) => {
  const text = await getRawBody(context.req, { encoding: 'utf8', limit: 1_048_576 })
  const alert = JSON.parse(text) as Record<string, unknown>
  context.status = 201
  context.body = {
    ...alert,
    alert_id: 'bench-custom-1',
    investigation_status: 0,
    investigation_retry_count: 0,
  }
})
const server = app.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ port: (server.address() as { port: number }).port })}\n`)
})
process.on('SIGTERM', () => process.exit(0))
