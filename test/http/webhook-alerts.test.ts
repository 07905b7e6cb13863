import { expect } from 'chai'
import { createHmac } from 'node:crypto'
import { UnavailableError } from '../../core/errors/errors.ts'
import type { InboundAlert, InboundResult } from '../../core/plugin/index.ts'
import { somebody } from '../support/somebody.ts'
import { startApi, type Api, type Reply } from './support/api.ts'
import { expectProblem } from './support/schemas.ts'

const secret = 'canary-tower-secret'

describe('alerts of a webhook', () => {
  let api: Api
  let token: string
  let connection: string

  beforeEach(async () => {
    api = await startApi()
    const settings = { base_url: 'https://tower.example', api_token: secret }
    const body = { organization_code: 'acme', name: 'north', plugin: 'tower', settings }
    const made = await api.call('POST', '/api/connections', { body })
    expect(made.status).to.equal(201)
    const stored = await api.stores.connections.list('all')
    connection = stored[0]?.uuid ?? ''
    const { json } = await api.call('GET', '/api/connections/north/manifest')
    token = new URL(json.url).searchParams.get('token') ?? ''
  })
  afterEach(() => api.close())

  const addressOf = (more = ''): string => `/api/webhooks/tower/v1/alarms?token=${token}${more}`

  function send(body: InboundResult, { age = 0, key = secret, signed = addressOf() } = {}): Promise<Reply> {
    const text = JSON.stringify(body)
    const time = String(Math.floor(api.clock.now() / 1_000) - age)
    const signature = createHmac('sha256', key)
      .update(`${api.url}${signed}`)
      .update(time)
      .update(text)
      .digest('hex')
    const headers = { 'x-tower-time': time, 'x-tower-signature': signature }
    return api.call('POST', addressOf(), { key: null, body: text, headers })
  }
  const alarm = (index: number, changes: Partial<InboundAlert> = {}): InboundAlert => ({
    provider: 'siem',
    type: 'bell_theft',
    content: JSON.stringify({ index }),
    dedupeKey: `a-${index}`,
    ...changes,
  })
  const alarms = (count: number): readonly InboundAlert[] =>
    Array.from({ length: count }, (_, index) => alarm(index))
  const stored = async () => {
    const page = { limit: 200, contentBytes: 10_000_000 }
    const found = []
    let cursor: string | undefined
    do {
      const { data, nextCursor } = await api.stores.alerts.list('all', {}, { ...page, cursor })
      found.push(...data)
      cursor = nextCursor ?? undefined
    } while (cursor !== undefined)
    return found.toReversed()
  }

  it('are stored in the organization of the connection and investigated', async () => {
    const reply = await send({ alerts: [alarm(1, { createdAtSource: 12 }), alarm(2, { type: undefined })] })
    expect([reply.status, reply.text]).to.deep.equal([200, ''])
    const [one, two] = await stored()
    expect(one).to.include({
      content: '{"index":1}',
      provider: 'SIEM',
      type: 'bell_theft',
      organizationCode: 'acme',
      createdBy: connection,
      createdAtSource: 12n,
    })
    expect(two).to.include({ type: null })
    expect(api.submitted.map(({ id }) => id)).to.deep.equal([one?.id])
    const { text } = await api.call('GET', '/metrics')
    expect(text).to.match(/^tocsin_alerts_received_total 2$/m)
  })

  it('with a wrong signature, a late time or a changed address are refused', async () => {
    for (const options of [
      { key: 'another' },
      { age: 301 },
      { age: -301 },
      { signed: addressOf('&x=1') },
      { signed: addressOf().replace('alarms', 'rope') },
    ])
      expectProblem(await send({ alerts: alarms(1) }, options), 401, 'webhook_refused')
    expect(await stored()).to.deep.equal([])
    expect((await send({ alerts: alarms(1) }, { age: 300 })).status).to.equal(200)
  })

  it('come at most a thousand in a request', async () => {
    expectProblem(await send({ alerts: alarms(1_001) }), 401, 'webhook_refused')
    expect(await stored()).to.deep.equal([])
    expect(JSON.stringify(api.logged)).to.include('alerts_invalid')
    expect((await send({ alerts: alarms(1_000) })).status).to.equal(200)
    const contents = (await stored()).map(({ content }) => content)
    expect(new Set(contents).size).to.equal(1_000)
  })

  it('sent twice, also at the same time, is stored once', async () => {
    const twice = await Promise.all([send({ alerts: alarms(3) }), send({ alerts: alarms(3) })])
    expect(twice.map(({ status }) => status)).to.deep.equal([200, 200])
    const changed = alarms(4).map((one) => ({ ...one, content: `${one.content} second attempt` }))
    expect((await send({ alerts: changed })).status).to.equal(200)
    expect((await stored()).map(({ content }) => content)).to.have.members([
      '{"index":0}',
      '{"index":1}',
      '{"index":2}',
      '{"index":3} second attempt',
    ])
  })

  it('without keys of their own are recognized by the key of the request', async () => {
    const alerts = alarms(2).map((one) => ({ ...one, dedupeKey: undefined }))
    for (let times = 0; times < 2; times++) await send({ dedupeKey: 'Ev1', alerts })
    expect(await stored()).to.have.length(2)
    await send({ dedupeKey: 'Ev2', alerts })
    expect(await stored()).to.have.length(4)
  })

  it('are all stored if an error came between the alerts and the answer, once each', async () => {
    const { receive } = api.investigations
    let left = 5
    api.investigations.receive = (...given) => {
      if (left-- > 0) return receive(...given)
      throw new UnavailableError('disk_full', 'the disk is full', { retryAfterMs: 5_000 })
    }
    expectProblem(await send({ alerts: alarms(50) }), 503, 'disk_full')
    expect(await stored()).to.have.length(5)
    api.investigations.receive = receive
    const { take } = api.stores.inbound
    api.stores.inbound.take = () => Promise.reject(new Error('the process ends here'))
    expect((await send({ alerts: alarms(50) })).status).to.equal(500)
    api.stores.inbound.take = take
    expect((await send({ alerts: alarms(50) })).status).to.equal(200)
    expect(await stored()).to.have.length(50)
  })

  it('are refused with Retry-After while too many investigations are queued', async () => {
    api.investigations.accepting = () => false
    const full = await send({ alerts: alarms(2) })
    expectProblem(full, 503, 'investigations_full')
    expect(full.headers.get('retry-after')).to.equal('5')
    expect(await stored()).to.deep.equal([])
  })

  it('of an unknown provider wait until it is created, and the connection shows a warning', async () => {
    const body = { alerts: [alarm(1), alarm(2, { provider: 'tower' })] }
    const reply = await send(body)
    expectProblem(reply, 503, 'webhook_provider_unknown')
    expect(reply.headers.get('retry-after')).to.equal('60')
    expect(await stored()).to.deep.equal([])
    const { json } = await api.call('GET', '/api/connections/north')
    expect(json.warnings[0].reason).to.equal(
      "Alerts of its webhook are not stored: there is no provider 'tower'.",
    )
    await api.stores.providers.create({ code: 'tower', name: 'Tower' }, somebody())
    expect((await send(body)).status).to.equal(200)
    expect(await stored()).to.have.length(2)
  })

  it('cannot hold up others by a strange type', async () => {
    const types = ['a\r\nb\u2028c', '\ud800x', 'y'.repeat(999), ' \n ', '😀'.repeat(150)]
    const alerts = types.map((type, index) => alarm(index, { type, content: '\ud800' }))
    expect((await send({ alerts })).status).to.equal(200)
    const found = await stored()
    expect(found.map(({ type }) => type)).to.have.members([
      'a b c',
      '\ufffdx',
      'y'.repeat(200),
      null,
      '😀'.repeat(150),
    ])
    expect(found[0]?.content).to.equal('\ufffd')
  })

  it('that are too large together are refused', async () => {
    const content = 'x'.repeat(1_048_577)
    api.stores.alerts.receive = () => expect.fail()
    expectProblem(await send({ alerts: [alarm(1, { content })] }), 413, 'body_too_large')
  })

  describe('and changes of cases', () => {
    let id: string
    beforeEach(async () => {
      const key = 'reference/incident 7'
      const by = somebody()
      id = (await api.stores.cases.create(api.organizations['acme'] ?? '', { title: 'Theft' }, by, key)).id
    })
    const change = { reference: 'incident 7', comment: 'Closed by the tower.', status: 'closed' } as const

    it('happen once, by the reference of the case', async () => {
      for (let times = 0; times < 2; times++) {
        const reply = await send({
          dedupeKey: 'Ev1',
          cases: [{ ...change, reference: 'incident 8' }, change],
        })
        expect(reply.status).to.equal(200)
      }
      expect(await api.stores.cases.find('all', id)).to.include({ status: 'closed' })
      const { data } = await api.stores.cases.timeline('all', id, { limit: 10 })
      const notes = data.filter((entry) => JSON.stringify(entry).includes('Closed by the tower.'))
      expect(notes).to.have.length(1)
      expect(JSON.stringify(notes)).to.include('webhook of north')
    })

    it('need a key, and a known status', async () => {
      expectProblem(await send({ cases: [change] }), 401, 'webhook_refused')
      const odd = { ...change, status: 'gone' as 'closed' }
      expectProblem(await send({ dedupeKey: 'Ev1', cases: [odd] }), 401, 'webhook_refused')
      expect(await api.stores.cases.find('all', id)).to.include({ status: 'open' })
    })

    it('reach no case of another organization', async () => {
      const by = somebody()
      const { globex = '' } = api.organizations
      const other = await api.stores.cases.create(globex, { title: 'Other' }, by, 'reference/incident 9')
      await send({ dedupeKey: 'Ev1', cases: [{ ...change, reference: 'incident 9' }] })
      expect(await api.stores.cases.find('all', other.id)).to.include({ status: 'open' })
    })
  })

  describe('whose address is tested by GET', () => {
    const get = (query: string) => api.call('GET', addressOf(query), { key: null })

    it('answer the challenge of a sender that knows the secret', async () => {
      const reply = await get(`&verify=${secret}&challenge=%3Cb%3E1158201444`)
      expect([reply.status, reply.text]).to.deep.equal([200, '<b>1158201444'])
      expect(reply.headers.get('content-type')).to.equal('text/plain; charset=utf-8')
      for (const query of ['', '&challenge=1', '&verify=another&challenge=1'])
        expectProblem(await get(query), 401, 'webhook_refused')
    })

    it('limit the rate of strangers', async () => {
      const stranger = () => api.call('GET', '/api/webhooks/tower/v1/alarms?token=x', { key: null })
      for (let count = 0; count < 30; count++) expectProblem(await stranger(), 401, 'webhook_refused')
      expectProblem(await stranger(), 429, 'too_many_requests')
    })
  })
})
