import { expect } from 'chai'
import { startApi, type Api } from './support/api.ts'
import { expectFits, expectProblem } from './support/schemas.ts'
import { somebody } from '../support/somebody.ts'

describe('POST alerts', () => {
  let api: Api
  const alert = { alert_content: '{"user":"kim"}', alert_provider: 'SIEM', organization_code: 'acme' }
  const post = (body: unknown, headers = {}) => api.call('POST', '/api/alerts', { body, headers })

  before(async () => {
    api = await startApi()
  })
  after(() => api.close())

  it('answers 201 with exactly the fields of an alert', async () => {
    const key = await api.newKey('intake', ['acme'])
    const body = { ...alert, alert_type: 'Phishing', created_at_source: 1_700_000_000 }
    const reply = await api.call('POST', '/api/alerts', { body, key })
    expect(reply.status).to.equal(201)
    expect(reply.headers.get('content-type')).to.equal('application/json')
    const stored = await api.stores.alerts.find('all', reply.json.alert_id)
    expect(reply.json).to.deep.equal({
      ...body,
      alert_id: reply.json.alert_id,
      alert_uuid: stored?.uuid,
      created_at: 1_800_000_000_000,
      modified_at: 1_800_000_000_000,
      created_by: stored?.createdBy,
      organization_uuid: api.organizations['acme'],
      investigation_retry_count: 0,
      investigation_status: 0,
    })
    expectFits('alert', reply.json)
    expect(reply.headers.get('location')).to.equal(`/api/alerts/${reply.json.alert_id}`)
  })

  it('records the API key as the creator', async () => {
    const key = await api.newKey('intake')
    const reply = await api.call('POST', '/api/alerts', { body: alert, key })
    const keys = await api.stores.keys.list()
    expect(reply.json.created_by).to.equal(keys.at(-1)?.uuid)
  })

  it('numbers alerts per organization and provider', async () => {
    const body = { ...alert, organization_code: 'globex', alert_provider: 'dlp' }
    const ids = [await post(body), await post(body)].map((reply) => reply.json.alert_id)
    expect(ids).to.deep.equal(['globex-dlp-1', 'globex-dlp-2'])
  })

  it('compares provider and organization without letter case and returns their registered spelling', async () => {
    const reply = await post({ ...alert, alert_provider: 'siem', organization_code: 'ACME' })
    expect(reply.json).to.include({ alert_provider: 'SIEM', organization_code: 'acme' })
  })

  it('distinguishes letters that merely share a lower-case form', async () => {
    await api.stores.organizations.create({ code: 'Kappa', name: 'Kappa' }, somebody())
    expect((await post({ ...alert, organization_code: 'kappa' })).status).to.equal(201)
    expectProblem(await post({ ...alert, organization_code: '\u212aappa' }), 400, 'unknown_organization')
  })

  it('investigates an alert with a type and only stores one without', async () => {
    const before = api.submitted.length
    const typed = await post({ ...alert, alert_type: 'Phishing' })
    const untyped = await post(alert)
    expect(untyped.status).to.equal(201)
    expect(untyped.json).to.include({ alert_type: null, investigation_status: 0 })
    expect(api.submitted.slice(before).map(({ id }) => id)).to.deep.equal([typed.json.alert_id])
    expect(await api.stores.alerts.find('all', untyped.json.alert_uuid)).to.include({ type: null })
  })

  it('accepts null for an absent optional field', async () => {
    const reply = await post({ ...alert, alert_type: null, created_at_source: null })
    expect(reply.json).to.include({ alert_type: null, created_at_source: null })
  })

  it('accepts an organization and a provider added after the start', async () => {
    await api.stores.organizations.create({ code: 'late', name: 'Late' }, somebody())
    await api.stores.providers.create({ code: 'later', name: 'Later' }, somebody())
    const reply = await post({ ...alert, organization_code: 'late', alert_provider: 'later' })
    expect(reply.json.alert_id).to.equal('late-later-1')
  })

  for (const [digits, answered] of [
    ['0', '0'],
    ['-0', '0'],
    ['1e3', '1000'],
    ['1.0', '1'],
    ['9007199254740993', '9007199254740993'],
    ['9223372036854775807', '9223372036854775807'],
    ['-9223372036854775808', '-9223372036854775808'],
  ] as const) {
    it(`keeps created_at_source ${digits} exactly`, async () => {
      const reply = await post(`{"created_at_source":${digits},${JSON.stringify(alert).slice(1)}`)
      expect(reply.status, reply.text).to.equal(201)
      expect(reply.text).to.include(`"created_at_source":${answered},`)
      const read = await api.call('GET', `/api/alerts/${reply.json.alert_id}`)
      expect(read.text).to.include(`"created_at_source":${answered},`)
    })
  }

  for (const digits of [
    '9223372036854775808',
    '-9223372036854775809',
    '1e400',
    '1e30',
    '1.5',
    '9007199254740993.0',
    '"5"',
    'true',
    '[1]',
  ]) {
    it(`refuses created_at_source ${digits}`, async () => {
      const reply = await post(`{"created_at_source":${digits},${JSON.stringify(alert).slice(1)}`)
      expectProblem(reply, 400, 'value_invalid')
      expect(reply.json.errors[0].pointer).to.equal('/created_at_source')
    })
  }

  for (const [what, content] of Object.entries({
    'the empty text': '',
    NUL: 'a\0b',
    'text beyond the basic plane': '🔔 naïve \u2028',
    'JSON with large integers and duplicate keys': '{"id":12345678901234567890,"id":1e400}',
    'markup and formulas': '<script>alert(1)</script>=cmd()',
    'a million characters': 'x'.repeat(1_000_000),
  })) {
    it(`stores ${what} unchanged`, async () => {
      const reply = await post({ ...alert, alert_content: content })
      expect(reply.status, reply.text.slice(0, 300)).to.equal(201)
      const read = await api.call('GET', `/api/alerts/${reply.json.alert_uuid}`)
      expect(read.json.alert_content === content).to.equal(true)
    })
  }

  it('refuses an alert with a type if the run queue is full, and stores nothing', async () => {
    const body = { ...alert, organization_code: 'globex', alert_type: 'Phishing' }
    api.investigations.accepting = () => false
    const total = (await api.call('GET', '/api/alerts')).json.total
    const reply = await post(body)
    const untyped = await post(alert)
    api.investigations.accepting = () => true
    expectProblem(reply, 503, 'investigations_full')
    expect(reply.headers.get('retry-after')).to.equal('5')
    expect(untyped.status).to.equal(201)
    expect((await api.call('GET', '/api/alerts')).json.total).to.equal(total + 1)
  })

  describe('with Prefer: wait', () => {
    const typed = { ...alert, alert_type: 'Phishing' }
    afterEach(() => {
      api.investigations.wait = () => Promise.resolve()
    })

    it('answers with the alert once its investigation has ended', async () => {
      api.investigations.wait = async (alertId, ms) => {
        expect(ms).to.equal(5_000)
        const found = await api.stores.alerts.find('all', alertId)
        await api.stores.runs.queue({
          organizationUuid: found?.organizationUuid ?? '',
          playbookName: 'phishing',
          playbookHash: 'aa',
          alertUuid: found?.uuid ?? null,
        })
      }
      const reply = await post(typed, { prefer: 'respond-async, wait=5' })
      expect(reply.status).to.equal(201)
      expect(reply.headers.get('preference-applied')).to.equal('wait=5')
      expect(reply.json.investigation_status).to.equal(5)
    })

    it('waits at most 60 seconds', async () => {
      let waited = 0
      api.investigations.wait = async (_id, ms) => {
        waited = ms
      }
      await post(typed, { prefer: 'wait=86400' })
      expect(waited).to.equal(60_000)
    })

    it('answers that the alert was stored even if waiting fails', async () => {
      api.investigations.wait = () => Promise.reject(new Error('no'))
      expect((await post(typed, { prefer: 'wait=1' })).status).to.equal(201)
    })

    it('does not wait if the header is malformed or the alert has no type', async () => {
      api.investigations.wait = () => Promise.reject(new Error('must not be called'))
      for (const prefer of ['wait', 'wait=-1', 'wait=soon', 'waiting=3', '']) {
        expect((await post(typed, { prefer })).headers.get('preference-applied'), prefer).to.equal(null)
      }
      expect((await post(alert, { prefer: 'wait=1' })).headers.get('preference-applied')).to.equal(null)
    })
  })
})
