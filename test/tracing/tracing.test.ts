import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import type { Organization } from '../../core/domain/organization.ts'
import type { JournalEntry, Run } from '../../core/domain/run.ts'
import type { ExcerptLimits } from '../../core/ports/runs/journal-store.ts'
import { eventually } from '../support/eventually.ts'
import { openTracing, type TracingOptions } from '../../server/tracing/tracing.ts'

interface Told {
  readonly traceId: string
  readonly name: string
  readonly attributes: readonly { readonly key: string; readonly value: { readonly intValue?: number } }[]
}

const total = 101_102

const run = (n: number): Run => ({
  uuid: crypto.randomUUID(),
  organizationUuid: 'o',
  playbookName: `large ${n}`,
  playbookHash: 'h',
  alertId: null,
  caseId: null,
  status: 'completed',
  inputs: {},
  exclusive: false,
  cancellation: null,
  createdAt: 1,
  startedAt: 1,
  endedAt: 2,
  output: null,
  error: null,
  retryOf: null,
  retriedBy: null,
  prunedAt: null,
})

const entry = (n: number): JournalEntry => ({
  path: `each[${n}]`,
  stepId: 'each',
  kind: 'set',
  state: 'completed',
  input: null,
  output: null,
  error: null,
  attempt: 1,
  startedAt: 1,
  endedAt: 2,
})

const organization: Organization = { uuid: 'o', code: 'main', name: 'Main', revision: 1, createdAt: 1 }

describe('tracing of large runs', () => {
  let collector: Server
  let told: Told[]
  let asked: ExcerptLimits[]

  const options = (ratio: number): TracingOptions => ({
    ratio,
    headers: {},
    log: { debug() {}, info() {}, warn() {}, error() {} },
    stores: {
      organizations: { list: () => Promise.resolve([organization]) },
      providers: { list: () => Promise.resolve([]) },
      forgetConfiguration() {},
      journal: {
        excerpt: (_uuid, limits) => {
          asked.push(limits)
          const entries = Array.from({ length: limits.first + limits.newest }, (_, n) => entry(n))
          return Promise.resolve({ entries, emptied: new Set(), failedAttempts: [], total })
        },
      },
    },
  })

  beforeEach(async () => {
    ;[told, asked] = [[], []]
    collector = createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        const { resourceSpans } = JSON.parse(Buffer.concat(chunks).toString()) as {
          resourceSpans: { scopeSpans: { spans: Told[] }[] }[]
        }
        for (const { scopeSpans } of resourceSpans) for (const { spans } of scopeSpans) told.push(...spans)
        response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
      })
    }).listen(0, '127.0.0.1')
    await once(collector, 'listening')
    process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] =
      `http://127.0.0.1:${(collector.address() as AddressInfo).port}`
  })
  afterEach(() => {
    delete process.env['OTEL_EXPORTER_OTLP_ENDPOINT']
    collector.closeAllConnections()
    collector.close()
  })

  it('loses no exported span, reports the number of omitted steps, and reads no inputs and outputs', async () => {
    const tracing = await openTracing(options(1))
    for (let n = 0; n < 5; n++) tracing.runEnded(run(n))
    await tracing.close()
    const [{ first, newest, bytes }] = asked as [ExcerptLimits]
    expect(first + newest).to.equal(2_000)
    expect(bytes).to.equal(0)
    expect(told).to.have.length(5 * (1 + first + newest))
    const whole = told.filter(({ name }) => name.startsWith('run large'))
    const leftOut = whole.map(({ attributes }) =>
      attributes.find(({ key }) => key === 'tocsin.run.steps_left_out'),
    )
    expect(leftOut.map((attribute) => attribute?.value.intValue)).to.deep.equal(Array(5).fill(total - 2_000))
  })

  it('reads and exports nothing of runs that are not sampled', async () => {
    const tracing = await openTracing(options(0))
    tracing.runEnded(run(0))
    await tracing.close()
    expect([asked, told]).to.deep.equal([[], []])
  })

  it('exports about the configured share', async () => {
    const tracing = await openTracing(options(0.5))
    for (let n = 0; n < 60; n++) tracing.runEnded(run(n))
    // Closing waits for 5 seconds only.
    await eventually('the traces of some runs', () => (asked.length >= 10 ? true : undefined))
    await tracing.close()
    expect(asked.length).to.be.within(10, 50)
  })
})
