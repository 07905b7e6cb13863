import { expect } from 'chai'
import { startApi, type Api } from './support/api.ts'
import { expectProblem } from './support/schemas.ts'

describe('DELETE keys', () => {
  let api: Api

  beforeEach(async () => {
    api = await startApi()
  })
  afterEach(() => api.close())

  const idOf = (key: string) => key.split('_')[1] ?? ''
  const revoke = (id: string) => api.call('DELETE', `/api/keys/${id}`)

  it('makes a key invalid from its next request on and keeps it in the list', async () => {
    const key = await api.newKey('reader')
    expect((await api.call('GET', '/api/alerts', { key })).status).to.equal(200)
    const reply = await revoke(idOf(key))
    expect(reply.status, reply.text).to.equal(200)
    expect(reply.json).to.include({ key_id: idOf(key), revoked_at: api.clock.time })
    expectProblem(await api.call('GET', '/api/alerts', { key }), 401, 'key_invalid')
    const { json } = await api.call('GET', '/api/keys')
    expect(json.data.map((row: { key_id: string }) => row.key_id)).to.include(idOf(key))
    expect((await revoke(reply.json.key_uuid)).json, 'again, by uuid').to.deep.equal(reply.json)
  })

  it('keeps the last usable admin key and says what to do', async () => {
    const reply = await revoke(idOf(api.adminKey))
    expectProblem(reply, 409, 'last_admin_key')
    expect(reply.json.hint).to.include('create another')
    await api.newKey('admin')
    expect((await revoke(idOf(api.adminKey))).status, 'a second one is there').to.equal(200)
  })

  it('keeps the last lasting admin key, even if another one is valid for less than a week', async () => {
    const day = 86_400_000
    await api.newKey('admin', undefined, api.clock.time + 3_000)
    await api.newKey('admin', undefined, api.clock.time + 7 * day)
    expectProblem(await revoke(idOf(api.adminKey)), 409, 'last_admin_key')
    const lasting = await api.newKey('admin', undefined, api.clock.time + 7 * day + 1)
    expect((await revoke(idOf(api.adminKey))).status).to.equal(200)
    const withLasting = (id: string) => api.call('DELETE', `/api/keys/${id}`, { key: lasting })
    expectProblem(await withLasting(idOf(lasting)), 409, 'last_admin_key')
    api.clock.time += 2 * day
    expect((await withLasting(idOf(lasting))).status, 'none of them lasts').to.equal(200)
  })

  it('answers 404 for other ids', async () => {
    for (const id of ['000000000000', '%', 'x'.repeat(5000)]) {
      expectProblem(await revoke(encodeURIComponent(id)), 404, 'key_not_found')
    }
  })
})

describe('POST keys', () => {
  let api: Api

  beforeEach(async () => {
    api = await startApi()
  })
  afterEach(() => api.close())

  it('refuses a key that expires later than its creator', async () => {
    const end = api.clock.time + 60_000
    const key = await api.newKey('admin', undefined, end)
    const make = (expires_at: number | null | undefined) =>
      api.call('POST', '/api/keys', { key, body: { name: 'k', role: 'admin', expires_at } })
    for (const later of [null, end + 1]) {
      const reply = await make(later)
      expectProblem(reply, 400, 'value_invalid')
      expect(reply.json.errors[0]).to.include({ pointer: '/expires_at' })
    }
    for (const given of [undefined, end]) expect((await make(given)).json.expires_at).to.equal(end)
  })

  it('records the creator of a key, also in lists', async () => {
    const body = { name: 'k', role: 'reader' }
    const { json } = await api.call('POST', '/api/keys', { body })
    const maker = { kind: 'api_key', id: api.adminKey.split('_')[1], name: 'admin' }
    expect(json.created_by).to.deep.equal(maker)
    const listed = (await api.call('GET', '/api/keys')).json.data as { key_id: string }[]
    expect(listed.find(({ key_id: id }) => id === json.key_id)).to.deep.include({ created_by: maker })
  })
})

describe('the last use of a key', () => {
  let api: Api

  beforeEach(async () => {
    api = await startApi()
  })
  afterEach(() => api.close())

  it('is recorded at most once a minute', async () => {
    const recorded: number[] = []
    const { recordUse } = api.stores.keys
    api.stores.keys.recordUse = (id, at) => {
      recorded.push(at)
      return recordUse.call(api.stores.keys, id, at)
    }
    const start = api.clock.time
    for (const [after, uses] of [
      [0, 5],
      [59_999, 3],
      [60_000, 3],
      [60_001, 1],
      [120_000, 2],
    ] as const) {
      api.clock.time = start + after
      await Promise.all(Array.from({ length: uses }, () => api.call('GET', '/api/alerts')))
      await api.stores.probe()
    }
    expect(recorded.map((at) => at - start)).to.deep.equal([0, 60_000, 120_000])
    const [shown] = (await api.call('GET', '/api/keys')).json.data
    expect(shown.last_used_at).to.equal(start + 120_000)
  })

  it('is recorded in the background, and a failure fails no request', async () => {
    api.stores.keys.recordUse = () => new Promise(() => undefined)
    expect((await api.call('GET', '/api/alerts')).status).to.equal(200)
    const other = await api.newKey('reader')
    api.stores.keys.recordUse = () => Promise.reject(new Error('no disk'))
    expect((await api.call('GET', '/api/alerts', { key: other })).status).to.equal(200)
    expect(api.logged.map(({ message }) => message)).to.include('could not record the use of a key')
  })

  it('is not updated by a refused key', async () => {
    const key = await api.newKey('reader', undefined, api.clock.time)
    await api.call('GET', '/api/alerts', { key })
    await api.call('GET', '/api/alerts', { key: `${api.adminKey.slice(0, -1)}-` })
    await api.stores.probe()
    expect((await api.stores.keys.list()).map(({ lastUsedAt }) => lastUsedAt)).to.deep.equal([null, null])
  })
})
