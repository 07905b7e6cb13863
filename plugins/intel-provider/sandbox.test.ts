import { expect } from 'chai'
import { loopbackEgress, runSkill, type ServedSandbox } from 'tocsin/plugin/testing'
import sandbox from './sandbox.ts'
import { intelFixture } from './sandbox/fixture.ts'
import { knownIndicators } from './sandbox/known-indicators.ts'
import { fullAccessKey } from './sandbox/routes.ts'
import { getEnrichment } from './skills/get-enrichment.ts'

describe('the sandbox of intel_provider', () => {
  let running: ServedSandbox
  before(async () => {
    running = await sandbox.start()
  })
  after(() => running.close())

  const ask = async (path: string, headers: Record<string, string> = { 'x-rftoken': fullAccessKey }) => {
    const url = running.url + path
    const signal = AbortSignal.timeout(30_000)
    const { status, body } = await loopbackEgress.send({
      method: 'GET',
      url,
      headers,
      body: undefined,
      signal,
    })
    return { status, json: JSON.parse(body) as unknown }
  }

  for (const { kind, value, score } of knownIndicators) {
    it(`rates the ${kind} ${value} ${score}`, async () => {
      const { output } = await runSkill(
        getEnrichment,
        { kind, value },
        { settings: running.settings, egress: loopbackEgress },
      )
      expect(output.found).to.equal(true)
      expect(output.risk.score).to.equal(score)
    })
  }

  it('has malicious, suspicious and harmless indicators', () => {
    const bands = [65, 25, 0].map((from) => knownIndicators.filter(({ score }) => score >= from).length)
    expect(bands[0]).to.be.above(10)
    expect(bands[1]).to.be.above(bands[0] ?? 0)
    expect(bands[2]).to.be.above(bands[1] ?? 0)
  })

  it('answers an unknown indicator, a missing key and a wrong key as recorded', async () => {
    expect(await ask('/v2/ip/192.0.2.1')).to.deep.equal({
      status: 404,
      json: intelFixture('v2-not-found-404'),
    })
    expect(await ask('/v2/ip/192.0.2.1', {})).to.deep.equal({ status: 401, json: intelFixture('error-401') })
    expect(await ask('/alert/v3', { 'x-rftoken': 'x' })).to.deep.equal({
      status: 401,
      json: intelFixture('error-401'),
    })
  })

  for (const path of [
    '/v2/ip/192.0.2.0%2F24',
    '/v2/ip/example.com',
    '/v2/domain/https%3A%2F%2Fexample.com',
    '/v2/url/example.com',
    '/v2/hash/abc',
    '/v2/domain/example.com?fields=entity,cvss',
    '/alert/v3?limit=1001',
    '/alert/v3?from=950&limit=100',
    '/alert/v3?priority=High',
    '/alert/v3?triggered=2026-01-01',
    '/alert/v3?triggered=%5Byesterday,%5D',
    '/alert/v3?triggered=%5B-2q,%5D',
    '/alert/v3?triggered=%5B2026-01-01,2026-01-02T00:00:00Z%5D',
  ]) {
    it(`refuses ${path}`, async () => {
      expect((await ask(path)).status).to.equal(400)
    })
  }

  it('has no route for a URL with unencoded slashes', async () => {
    expect((await ask('/v2/url/https://example.com')).status).to.equal(404)
  })
})
