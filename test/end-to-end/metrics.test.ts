import { expect } from 'chai'
import { lintExposition } from '../metrics/lint-exposition.ts'
import { checkMetrics, hasPromtool } from '../metrics/promtool.ts'
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

  it('keeps to the format and the conventions', () => {
    expect(lintExposition(text)).to.deep.equal([])
  })

  it('is well for promtool, where that is', function () {
    if (!hasPromtool) return this.skip()
    expect(checkMetrics(text)).to.equal('')
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
