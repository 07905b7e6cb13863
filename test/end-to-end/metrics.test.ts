import { expect } from 'chai'
import { startTestTocsin, type TestTocsin } from './support/test-tocsin.ts'

const look = `apiVersion: tocsin/v1
name: look
on: { alert: { type: look } }
steps:
  - { uses: intel_provider.get_enrichment, with: { kind: ip, value: '\${{ alert.content }}' } }
`
const breaks = `apiVersion: tocsin/v1
name: breaks
on: { alert: { type: breaks } }
steps: [{ fail: broken }]
`
const asks = `apiVersion: tocsin/v1
name: asks
on: { alert: { type: asks } }
steps: [{ id: q, checkpoint: { via: operator, with: { message: x }, answers: [yes], timeout: 1h } }]
`

describe('GET /metrics', function () {
  this.timeout(20_000)
  let tocsin: TestTocsin
  let text: string

  before(async () => {
    tocsin = await startTestTocsin('intel_provider', { look, breaks, asks })
    expect((await tocsin.connect('intel')).status).to.equal(201)
    const { status } = (await tocsin.investigate({ type: 'look', content: '203.0.113.7' })).body
    expect(status).to.not.equal('failed')
    await tocsin.investigate({ type: 'breaks', content: 'x' })
    const body = {
      alert_provider: 'custom',
      organization_code: 'main',
      alert_type: 'asks',
      alert_content: 'x',
    }
    await tocsin.call('/alerts', { body })
    for (let n = 0; n < 500 && (await tocsin.call('/checkpoints')).body.total === 0; n++);
    await tocsin.call('/alerts', { body: { ...body, alert_provider: 'nobody' } })
    text = await scrape()
  })
  after(() => tocsin?.close())

  async function scrape(): Promise<string> {
    const reply = await tocsin.fetch('/metrics')
    expect(reply.status).to.equal(200)
    expect(reply.headers.get('content-type')).to.equal('text/plain; version=0.0.4; charset=utf-8')
    return await reply.text()
  }
  /** The value of a line, by its name and labels. */
  const value = (name: string, of = text): number =>
    Number(
      of
        .split('\n')
        .find((line) => line.startsWith(`${name} `))
        ?.split(' ')[1],
    )

  it('counts alerts that were taken in and refused, and what became of their runs', () => {
    expect(value('tocsin_alerts_received_total')).to.equal(3)
    expect(value('tocsin_alerts_refused_total{status="400"}')).to.equal(1)
    expect(value('tocsin_runs_ended_total{outcome="completed"}')).to.equal(1)
    expect(value('tocsin_runs_ended_total{outcome="failed"}')).to.equal(1)
    expect(value('tocsin_runs{state="waiting"}')).to.equal(1)
    expect(value('tocsin_runs{state="queued"}')).to.equal(0)
  })

  it('measures calls of skills, requests to other systems and commits', () => {
    expect(
      value(
        'tocsin_skill_call_duration_seconds_count{skill="intel_provider.get_enrichment",outcome="completed"}',
      ),
    ).to.equal(1)
    expect(
      value('tocsin_outbound_requests_total{plugin="intel_provider",status="4xx"}'),
      'nothing is known of it',
    ).to.equal(1)
    expect(value('tocsin_store_commit_duration_seconds_count')).to.be.above(0)
    expect(value('tocsin_store_writes_total')).to.be.at.least(
      value('tocsin_store_commit_duration_seconds_count'),
    )
    expect(value('process_resident_memory_bytes')).to.be.above(1e6)
  })

  it('counts on', async () => {
    await tocsin.investigate({ type: 'breaks', content: 'x' })
    const later = await scrape()
    expect(value('tocsin_alerts_received_total', later)).to.equal(4)
    expect(value('tocsin_runs_ended_total{outcome="failed"}', later)).to.equal(2)
  })

  it('keeps to the format and the conventions: each family described once, names in base units, histograms that add up', () => {
    const lines = text.split('\n')
    expect(lines.pop()).to.equal('')
    const families = new Map<string, string>()
    let current = ''
    for (const line of lines) {
      const [, type, kind] = /^# TYPE ([a-z_]+) (counter|gauge|histogram)$/.exec(line) ?? []
      const [, help] = /^# HELP ([a-z_]+) [A-Z].*\.$/.exec(line) ?? []
      if (help !== undefined) {
        expect(families.has(help), help).to.equal(false)
        current = help
      } else if (type !== undefined && kind !== undefined) {
        expect(type).to.equal(current)
        families.set(type, kind)
        expect(type.endsWith('_total'), type).to.equal(kind === 'counter')
        if (kind === 'histogram') expect(type).to.match(/_seconds$/)
      } else {
        expect(line).to.match(/^[a-z_]+(\{[a-z]+="[^"\n]*"(,[a-z]+="[^"\n]*")*\})? -?[0-9][0-9.e+-]*$/)
        const name = /^[a-z_]+/.exec(line)?.[0] ?? ''
        expect(
          name.replace(families.get(current) === 'histogram' ? /_(bucket|sum|count)$/ : /$^/, ''),
        ).to.equal(current)
      }
    }
    for (const [name] of [...families].filter(([, kind]) => kind === 'histogram')) {
      const buckets = lines
        .filter((line) => line.startsWith(`${name}_bucket`))
        .map((line) => Number(line.split(' ').at(-1)))
      const ends = lines
        .filter((line) => line.startsWith(`${name}_count`))
        .map((line) => Number(line.split(' ').at(-1)))
      expect(buckets.length % Math.max(1, ends.length)).to.equal(0)
      for (const [index, end] of ends.entries()) {
        const size = buckets.length / ends.length
        const own = buckets.slice(index * size, (index + 1) * size)
        expect(own).to.deep.equal(own.toSorted((a, b) => a - b))
        expect(own.at(-1)).to.equal(end)
      }
    }
  })

  it('tells nothing of an alert, an organization or a secret', () => {
    for (const word of ['203.0.113.7', 'main', String(tocsin.sandbox.settings['api_key'])])
      expect(text).not.to.contain(word)
  })

  it('is for keys of all organizations that may read', async () => {
    expect((await tocsin.fetch('/metrics', '')).status).to.equal(401)
    const keyFor = async (role: string, codes: string[] | null) =>
      (await tocsin.call('/keys', { body: { name: 'k', role, organization_codes: codes } })).body
        .key as string
    expect((await tocsin.fetch('/metrics', await keyFor('intake', null))).status).to.equal(403)
    expect((await tocsin.fetch('/metrics', await keyFor('reader', ['main']))).status).to.equal(403)
    expect((await tocsin.fetch('/metrics', await keyFor('reader', null))).status).to.equal(200)
  })
})
