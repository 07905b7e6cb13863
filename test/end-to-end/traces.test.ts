import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { startTestTocsin } from '../support/server/test-tocsin.ts'

const playbook = `apiVersion: tocsin/v1
name: traced
on: { alert: { type: traced } }
steps:
  - { id: seen, uses: case.comment, with: { text: canary-content } }
`

interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
}

/** Receives exported traces like an OpenTelemetry collector (OTLP over HTTP, JSON). */
async function startCollector() {
  const bodies: string[] = []
  const keys: unknown[] = []
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      keys.push(request.headers['x-key'])
      bodies.push(`${request.method} ${request.url} ${Buffer.concat(chunks).toString()}`)
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, bodies, keys, server }
}

describe('traces', function () {
  const variables = ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_SERVICE_NAME'] as const
  afterEach(() => {
    for (const name of variables) delete process.env[name]
  })

  it('reach the collector of the standard variables, one per run under its id', async () => {
    const collector = await startCollector()
    process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = collector.url
    process.env['OTEL_SERVICE_NAME'] = 'tocsin-west'
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_EXPORTER_OTLP_HEADERS: 'x-key=k%204711' }
    const tocsin = await startTestTocsin({ inProcess: true, playbooks: { traced: playbook }, env })
    const { body: alert } = await tocsin.investigate({ type: 'traced', content: 'canary-content' })
    const { body } = await tocsin.call(`/runs?alert=${alert.alert_id}`)
    await tocsin.close()
    const [sent = ''] = collector.bodies
    expect(sent).to.match(/^POST \/v1\/traces /)
    expect(sent).to.contain('tocsin-west').and.not.contain('canary')
    expect(collector.keys).to.deep.equal(collector.bodies.map(() => 'k 4711'))
    const told = JSON.parse(sent.slice(sent.indexOf('{'))) as {
      resourceSpans: { scopeSpans: { spans: Span[] }[] }[]
    }
    const spans = told.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
    expect(spans.map(({ name }) => name)).to.have.members(['run traced', 'seen case.comment'])
    const [whole, step] = spans.toSorted((a, b) => a.name.length - b.name.length)
    const traceId = String(body.data[0].run_uuid).replaceAll('-', '')
    expect(spans.map((span) => span.traceId)).to.deep.equal([traceId, traceId])
    expect(step?.parentSpanId).to.equal(whole?.spanId)
    collector.server.close()
  })

  it('do not block anything without a collector', async () => {
    process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = 'http://127.0.0.1:9'
    const tocsin = await startTestTocsin({
      inProcess: true,
      playbooks: { traced: playbook },
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' },
    })
    const { body: alert } = await tocsin.investigate({ type: 'traced', content: 'x' })
    expect(alert.investigation_status).to.equal(15)
    await tocsin.close()
  })
})
