import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { lintExposition } from '../metrics/lint-exposition.ts'
import { checkMetrics, hasPromtool } from '../metrics/promtool.ts'
import { readExposition } from '../metrics/read-exposition.ts'
import { eventually } from '../support/eventually.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'
import { startTestTocsin, type TestTocsin } from '../support/server/test-tocsin.ts'

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
  let tocsin: TestTocsin
  let folder: TemporaryFolder
  let text: string

  before(async () => {
    folder = await makeTemporaryFolder()
    // Metrics that exist only with an audit export are documented too.
    const env = { TOCSIN_AUDIT_EXPORT: `file:${join(folder.path, 'audit.jsonl')}` }
    tocsin = await startTestTocsin({
      inProcess: true,
      sandbox: 'intel_provider',
      playbooks: { look, breaks, asks },
      env,
    })
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
  after(async () => {
    await tocsin?.close()
    await folder?.remove()
  })

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

  it('counts accepted and refused alerts, and outcomes of runs', () => {
    expect(value('tocsin_alerts_received_total')).to.equal(3)
    expect(value('tocsin_alerts_refused_total{status="400"}')).to.equal(1)
    expect(value('tocsin_runs_ended_total{outcome="completed"}')).to.equal(1)
    expect(value('tocsin_runs_ended_total{outcome="failed"}')).to.equal(1)
    expect(value('tocsin_runs{state="waiting"}')).to.equal(1)
    expect(value('tocsin_runs{state="queued"}')).to.equal(0)
  })

  it('measures skill calls, egress requests and commits', () => {
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

  it('has every counter from the start', () => {
    for (const status of ['400', '401', '403', '409', '413', '415', '429', '500', '503'])
      expect(value(`tocsin_alerts_refused_total{status="${status}"}`), status).to.equal(
        status === '400' ? 1 : 0,
      )
    expect(value('tocsin_runs_ended_total{outcome="cancelled"}')).to.equal(0)
    expect(value('tocsin_alerts_grouped_total')).to.equal(0)
    expect(value('tocsin_outbound_requests_total{plugin="http",status="error"}')).to.equal(0)
    expect(value('tocsin_http_requests_total{method="DELETE",status="500"}')).to.equal(0)
    expect(value('tocsin_runs_failed_total{playbook="look"}')).to.equal(0)
    expect(value('tocsin_runs_failed_total{playbook="breaks"}')).to.equal(1)
    expect(value('tocsin_runs_failed_total{playbook="(other)"}')).to.equal(0)
    expect(value('tocsin_skill_call_duration_seconds_count{skill="http.get",outcome="failed"}')).to.equal(0)
  })

  it('reports what waits for people, and the size of the store', () => {
    expect(value('tocsin_questions_waiting')).to.equal(1)
    expect(value('tocsin_steps_unknown')).to.equal(0)
    expect(value('tocsin_oldest_queued_run_age_seconds')).to.equal(0)
    expect(value('tocsin_engine_paused')).to.equal(0)
    expect(value('tocsin_store_size_bytes{file="database"}')).to.be.above(0)
    expect(value('tocsin_store_size_bytes{file="wal"}')).to.be.above(0)
    expect(value('tocsin_disk_free_bytes')).to.be.above(0)
    expect(value('tocsin_nodes_live')).to.equal(1)
    expect(text).to.match(/^tocsin_build_info\{version="\d+\.\d+\.\d+",node="\d+\.\d+\.\d+"\} 1$/m)
    if (process.platform === 'linux')
      expect(value('process_open_fds')).to.be.above(2).and.below(value('process_max_fds'))
  })

  it('measures requests by route, not by path', () => {
    const route = 'method="POST",route="/alerts",status'
    expect(value(`tocsin_http_request_duration_seconds_count{${route}="2xx"}`)).to.equal(3)
    expect(value(`tocsin_http_request_duration_seconds_count{${route}="4xx"}`)).to.equal(1)
    expect(text).to.contain('route="/connections"')
    expect(text).not.to.match(/route="[^"]*main/)
  })

  it('reports paused runs and the age of the oldest queued run', async () => {
    const paused = await tocsin.call('/engine/pause', { body: { reason: 'test' } })
    expect(paused.status).to.equal(200)
    const body = {
      alert_provider: 'custom',
      organization_code: 'main',
      alert_type: 'look',
      alert_content: '203.0.113.8',
    }
    await tocsin.call('/alerts', { body })
    const held = await eventually('a queued run', async () => {
      const now = await scrape()
      return value('tocsin_runs{state="queued"}', now) === 1 ? now : undefined
    })
    expect(value('tocsin_engine_paused', held)).to.equal(1)
    const older = await eventually('it to grow older', async () => {
      const now = await scrape()
      return value('tocsin_oldest_queued_run_age_seconds', now) > 0 ? now : undefined
    })
    expect(value('tocsin_oldest_queued_run_age_seconds', older)).to.be.below(60)
    await tocsin.call('/engine/resume', { body: {} })
    await eventually(
      'it to run',
      async () => value('tocsin_runs{state="queued"}', await scrape()) === 0 || undefined,
    )
    expect(value('tocsin_engine_paused', await scrape())).to.equal(0)
  })

  it('is documented by name and labels', async () => {
    const page = await readFile(new URL('../../docs/monitoring.md', import.meta.url), 'utf8')
    const [, table = ''] = /^## Metrics$([^]*?)^## /m.exec(page) ?? []
    const documented = [...table.matchAll(/^\|(.*?)\|.*$/gm)].flatMap(([, names = '']) =>
      [...names.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
    )
    const served = readExposition(text).map(({ name, samples }) => {
      const labels = new Set(samples.flatMap((sample) => [...sample.labels.keys()]))
      labels.delete('le')
      return labels.size === 0 ? name : `${name}{${[...labels].join(',')}}`
    })
    expect(documented.toSorted()).to.deep.equal(served.toSorted())
  })

  it('has counters that survive a restart', async () => {
    await tocsin.investigate({ type: 'breaks', content: 'x' })
    const later = await scrape()
    expect(value('tocsin_alerts_received_total', later)).to.equal(5)
    expect(value('tocsin_runs_ended_total{outcome="failed"}', later)).to.equal(2)
  })

  it('follows the format and the naming conventions', () => {
    expect(lintExposition(text)).to.deep.equal([])
  })

  it('passes promtool if installed', function () {
    if (!hasPromtool) return this.skip()
    expect(checkMetrics(text)).to.equal('')
  })

  it('reveals no alert, organization or secret', () => {
    for (const word of ['203.0.113.7', '"main"', String(tocsin.sandbox.settings['api_key'])])
      expect(text.split('\n').filter((line) => line.includes(word))).to.deep.equal([])
  })

  it('requires a key for all organizations with read access', async () => {
    expect((await tocsin.fetch('/metrics', '')).status).to.equal(401)
    const keyFor = async (role: string, codes: string[] | null) =>
      (await tocsin.call('/keys', { body: { name: 'k', role, organization_codes: codes } })).body
        .key as string
    expect((await tocsin.fetch('/metrics', await keyFor('intake', null))).status).to.equal(403)
    expect((await tocsin.fetch('/metrics', await keyFor('reader', ['main']))).status).to.equal(403)
    expect((await tocsin.fetch('/metrics', await keyFor('reader', null))).status).to.equal(200)
  })
})
