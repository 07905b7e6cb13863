import { expect } from 'chai'
import { startApi, type Api } from './support/api.ts'

const path = '/api/organizations/acme/destructive-limits'

describe('limits of destructive actions over the API', () => {
  let api: Api
  beforeEach(async () => {
    api = await startApi()
  })
  afterEach(() => api.close())

  const put = (body: object, ifMatch?: string) =>
    api.call('PUT', path, { body, headers: ifMatch === undefined ? {} : { 'if-match': ifMatch } })
  const limits = async () => {
    const { json } = await api.call('GET', path)
    return (json.classes as any[]).map((each) => [each.class, each.limit, each.own, each.remaining])
  }

  it('are replaced as a whole, need the current ETag, and are recorded', async () => {
    const { headers } = await api.call('GET', path)
    expect((await put({ blocking: 50 })).status).to.equal(428)
    expect((await put({ blocking: 50, containment: 0 }, headers.get('etag') ?? '')).status).to.equal(200)
    expect((await put({ blocking: 60 }, headers.get('etag') ?? '')).status, 'seen before').to.equal(412)
    expect(await limits()).to.deep.equal([
      ['containment', 0, 0, 0],
      ['blocking', 50, 50, 50],
      ['deletion', 10, null, 10],
      ['execution', 10, null, 10],
    ])
    const { data } = await api.stores.audit.list('all', { action: 'organization.changed' }, { limit: 5 })
    expect(data[0]?.details).to.deep.equal({ destructive_per_hour: { containment: 0, blocking: 50 } })
    expect((await put({ blocking: null }, '*')).status).to.equal(200)
    expect((await limits()).every(([, limit, own]) => limit === 10 && own === null)).to.equal(true)
  })

  for (const body of [
    { blocking: -1 },
    { blocking: 1.5 },
    { blocking: 1_000_001 },
    { blocking: '5' },
    { isolation: 5 },
  ])
    it(`refuse ${JSON.stringify(body)} and stay unchanged`, async () => {
      const { status, text } = await put(body, '*')
      expect(status).to.equal(400)
      expect(text).to.include(Object.keys(body)[0])
      expect((await limits())[1]).to.deep.equal(['blocking', 10, null, 10])
    })
})
