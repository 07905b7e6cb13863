import { expect } from 'chai'
import { startApi, type Api } from './support/api.ts'
import { sendRaw } from './support/raw-request.ts'
import { expectProblem } from './support/schemas.ts'

const day = 24 * 60 * 60 * 1_000

describe('POST alerts with Idempotency-Key', () => {
  let api: Api
  const alert = {
    alert_content: '{"id":12345678901234567890}',
    alert_provider: 'SIEM',
    organization_code: 'acme',
    alert_type: 'Phishing',
  }

  beforeEach(async () => {
    api = await startApi()
  })
  afterEach(() => api.close())

  const post = (key: string, body: unknown = alert, more: { key?: string } = {}) =>
    api.call('POST', '/api/alerts', { body, headers: { 'idempotency-key': key }, ...more })
  const total = async () => (await api.call('GET', '/api/alerts')).json.total

  it('returns the same alert for a repetition and does not investigate it again', async () => {
    const first = await post('abc')
    expect(first.status, first.text).to.equal(201)
    expect(first.headers.get('idempotency-replayed')).to.equal(null)
    const again = await post('abc')
    expect(again.status).to.equal(201)
    expect(again.headers.get('idempotency-replayed')).to.equal('true')
    expect(again.headers.get('location')).to.equal(first.headers.get('location'))
    expect(again.json).to.deep.equal(first.json)
    expect(api.submitted.map(({ id }) => id)).to.deep.equal([first.json.alert_id])
    expect(await total()).to.equal(1)
  })

  it('treats another spelling of the same JSON values as the same body', async () => {
    const first = await post('abc', { ...alert, created_at_source: null })
    const spelt = `{ "alert_type":"Phishing", "organization_code":"ACME", "alert_provider":"siem",
      "alert_content":${JSON.stringify(alert.alert_content)} }`
    expect((await post('abc', spelt)).json).to.deep.equal(first.json)
  })

  for (const [what, change] of Object.entries({
    content: { alert_content: '{"id":12345678901234567891}' },
    provider: { alert_provider: 'dlp' },
    organization: { organization_code: 'globex' },
    type: { alert_type: 'phishing' },
    'no type': { alert_type: null },
    time: { created_at_source: 1 },
  })) {
    it(`refuses the key with another body: ${what}`, async () => {
      await post('abc')
      const reply = await post('abc', { ...alert, ...change })
      expectProblem(reply, 422, 'idempotency_key_reused')
      expect(await total()).to.equal(1)
    })
  }

  it('keeps the keys of each API key separate', async () => {
    const other = await api.newKey('intake', ['acme'])
    const first = await post('abc')
    const second = await post('abc', alert, { key: other })
    expect(second.headers.get('idempotency-replayed')).to.equal(null)
    expect(second.json.alert_uuid).to.not.equal(first.json.alert_uuid)
    expect(
      (await post('abc', { ...alert, alert_content: 'x' }, { key: await api.newKey('intake') })).status,
    ).to.equal(201)
  })

  it('stores one alert for concurrent requests', async () => {
    const replies = await Promise.all(Array.from({ length: 30 }, () => post('abc')))
    expect(new Set(replies.map(({ json }) => json.alert_uuid)).size).to.equal(1)
    const replayed = replies.filter(({ headers }) => headers.get('idempotency-replayed') === 'true')
    expect(replayed).to.have.length(29)
    expect(await total()).to.equal(1)
    expect(api.submitted).to.have.length(1)
  })

  it('remembers a key for 24 hours', async () => {
    const first = await post('abc')
    api.clock.time += day - 1
    expect((await post('abc')).json.alert_uuid).to.equal(first.json.alert_uuid)
    api.clock.time += 1
    const later = await post('abc', { ...alert, alert_content: 'another' })
    expect(later.status).to.equal(201)
    expect(later.json.alert_id).to.equal('acme-SIEM-2')
    expect((await post('abc')).status, 'the new one counts now').to.equal(422)
  })

  it('does not use up the key of a refused request', async () => {
    expectProblem(await post('abc', { ...alert, alert_provider: 'nobody' }), 400, 'unknown_provider')
    api.investigations.accepting = () => false
    expectProblem(await post('abc'), 503, 'investigations_full')
    api.investigations.accepting = () => true
    const reply = await post('abc')
    expect(reply.status).to.equal(201)
    expect(reply.headers.get('idempotency-replayed')).to.equal(null)
  })

  it('returns the current alert without waiting for an ended investigation', async () => {
    const first = await post('abc')
    const run = await api.stores.runs.queue({
      organizationUuid: api.organizations['acme'] ?? '',
      playbookName: 'p',
      playbookHash: 'h',
      alertUuid: first.json.alert_uuid,
    })
    await api.stores.runs.start(run.uuid, { title: 'x' })
    await api.stores.runs.end(run.uuid, { status: 'completed', output: null, error: null })
    api.investigations.wait = () => Promise.reject(new Error('must not be called'))
    const again = await api.call('POST', '/api/alerts', {
      body: alert,
      headers: { 'idempotency-key': 'abc', prefer: 'wait=30' },
    })
    expect(again.json).to.include({ alert_id: first.json.alert_id, investigation_status: 15 })
    expect(again.headers.get('preference-applied')).to.equal(null)
  })

  it('accepts keys of 1 to 255 visible ASCII characters', async () => {
    expect((await post('x'.repeat(255))).status).to.equal(201)
    expect((await post('"a:b/c~!"')).status).to.equal(201)
    for (const key of ['', 'x'.repeat(256), 'a b', 'a\tb', 'caf\u00e9']) {
      const reply = await post(key)
      expectProblem(reply, 400, 'header_invalid')
      expect(reply.json.errors[0].pointer).to.equal('/idempotency-key')
    }
    expect(await total()).to.equal(2)
  })

  it('refuses a second header', async () => {
    const body = JSON.stringify(alert)
    const answer = await sendRaw(
      api.url,
      `POST /api/alerts HTTP/1.1\r\nHost: x\r\nCookie: Session=${api.adminKey}\r\nContent-Type: application/json\r\n` +
        `Idempotency-Key: a\r\nIdempotency-Key: b\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    )
    expect(answer).to.match(/^HTTP\/1\.1 400 [^]*header_invalid/)
  })
})
