import { expect } from 'chai'
import { startApi, type Api } from './support/api.ts'
import { expectProblem } from './support/schemas.ts'

const day = 86_400_000

describe('a new key', () => {
  let api: Api

  beforeEach(async () => {
    api = await startApi({ keyLifetimeMs: 30 * day })
  })
  afterEach(() => api.close())

  const create = async (body: object, key?: string) =>
    (
      await api.call('POST', '/api/keys', {
        ...(key && { key }),
        body: { name: 'k', role: 'reader', ...body },
      })
    ).json
  const expiring = async () =>
    (await api.call('GET', '/api/keys?state=expiring')).json.data.map((key: { key_id: string }) => key.key_id)

  it('ends after the configured time, unless its creator chooses another or none', async () => {
    const now = api.clock.time
    expect((await create({})).expires_at).to.equal(now + 30 * day)
    expect((await create({ expires_at: now + 5 })).expires_at).to.equal(now + 5)
    expect((await create({ expires_at: null })).expires_at).to.equal(null)
    expect((await create({ role: 'intake' })).expires_at, 'alerts must not stop').to.equal(null)
  })

  it('does not outlive the key that creates it', async () => {
    const end = api.clock.time + 7 * day
    const key = await api.newKey('admin', undefined, end)
    expect((await create({}, key)).expires_at).to.equal(end)
    expect((await create({ role: 'intake' }, key)).expires_at).to.equal(end)
    const never = await api.call('POST', '/api/keys', {
      key,
      body: { name: 'k', role: 'reader', expires_at: null },
    })
    expectProblem(never, 400, 'value_invalid')
  })

  it('is listed as expiring in its last 14 days, and counted in the metrics', async () => {
    const { key_id: id } = await create({})
    await create({ expires_at: null })
    expect(await expiring()).to.deep.equal([])
    api.clock.time += 16 * day
    expect(await expiring()).to.deep.equal([id])
    const { text } = await api.call('GET', '/metrics')
    expect(text).to.match(/^tocsin_api_keys_ending_soon 1$/m)
    api.clock.time += 14 * day
    expect(await expiring()).to.deep.equal([])
  })

  it('is renewed by a rotation, and never ended earlier', async () => {
    const { key_id: id, expires_at: end } = await create({})
    const rotate = (body: object) => api.call('POST', `/api/keys/${id}/rotate`, { body })
    expect((await rotate({})).json.expires_at).to.equal(end)
    expect((await rotate({ expires_at: end + day })).json.expires_at).to.equal(end + day)
    expectProblem(await rotate({ expires_at: end }), 409, 'key_end_earlier')
    expect((await rotate({ expires_at: null })).json.expires_at).to.equal(null)
    expectProblem(await rotate({ expires_at: end + 9 * day }), 409, 'key_end_earlier')
    expectProblem(await rotate({ expires_at: api.clock.time }), 400, 'value_invalid')
  })
})
