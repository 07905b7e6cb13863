import { expect } from 'chai'
import { objectsAt, valueAt } from 'tocsin/plugin'
import { loopbackEgress, runSkill } from 'tocsin/plugin/testing'
import sandbox from './sandbox.ts'
import { travelClients } from './sandbox/clients.ts'
import { travelFixture } from './sandbox/fixture.ts'
import { getBookings } from './skills/get-bookings.ts'

type Running = Awaited<ReturnType<typeof sandbox.start>>

describe('the sandbox of travel', () => {
  let running: Running
  beforeEach(async () => {
    running = await sandbox.start()
  })
  afterEach(() => running.close())

  const send = async (
    method: 'GET' | 'POST',
    path: string,
    headers: Record<string, string> = {},
    body?: string,
  ) => {
    const signal = AbortSignal.timeout(30_000)
    const answer = await loopbackEgress.send({ method, url: running.url + path, headers, body, signal })
    return { status: answer.status, json: JSON.parse(answer.body) as unknown }
  }
  const credentials = {
    grant_type: 'client_credentials',
    client_id: travelClients.all.id,
    client_secret: travelClients.all.secret,
  }
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const getToken = (fields: object = {}, headers: Record<string, string> = form) =>
    send(
      'POST',
      '/ta-auth/oauth/token',
      headers,
      new URLSearchParams({ ...credentials, ...fields }).toString(),
    )
  const authorize = async (): Promise<Record<string, string>> => ({
    authorization: `Bearer ${String(valueAt((await getToken()).json, 'access_token'))}`,
  })

  it('issues tokens as in the sample', async () => {
    const { status, json } = await getToken()
    expect(status).to.equal(200)
    expect(json).to.include({ token_type: 'bearer', expires_in: 43_199, scope: 'bookings:read users:read' })
  })

  it('refuses token requests as in the samples', async () => {
    expect(await getToken({ client_secret: 'wrong' })).to.deep.equal({
      status: 401,
      json: travelFixture('token-error-401'),
    })
    expect(await getToken({ client_id: 'unknown' })).to.deep.equal({
      status: 401,
      json: travelFixture('token-error-401'),
    })
    expect(await getToken({ grant_type: 'password' })).to.deep.equal({
      status: 400,
      json: travelFixture('token-error-400'),
    })
    expect((await getToken({}, { 'content-type': 'application/json' })).status).to.equal(400)
  })

  it('refuses unknown and expired tokens', async () => {
    const path = '/v1/bookings?createdFrom=0&createdTo=2000000000'
    expect((await send('GET', path)).status).to.equal(401)
    expect((await send('GET', path, { authorization: 'Bearer x' })).status).to.equal(401)
    const headers = await authorize()
    expect((await send('GET', path, headers)).status).to.equal(200)
    running.controls.expireTokens()
    expect((await send('GET', path, headers)).status).to.equal(401)
    expect((await send('GET', path, await authorize())).status).to.equal(200)
    expect(running.controls.tokensIssued()).to.equal(2)
  })

  it('returns pages of 10 by default', async () => {
    const headers = await authorize()
    const { json } = await send(
      'GET',
      '/v1/bookings?createdFrom=0&createdTo=2000000000&size=4&page=1',
      headers,
    )
    expect(valueAt(json, 'data')).to.have.length(2)
    expect(valueAt(json, 'page')).to.deep.equal({
      totalPages: 2,
      currentPage: 1,
      pageSize: 4,
      totalElements: 6,
    })
    const all = await send('GET', '/v1/bookings?createdFrom=0&createdTo=2000000000', headers)
    expect(valueAt(valueAt(all.json, 'page'), 'pageSize')).to.equal(10)
    const none = await send('GET', '/v1/bookings?createdFrom=0&createdTo=1', headers)
    expect(valueAt(none.json, 'data')).to.deep.equal(valueAt(travelFixture('bookings-empty'), 'data'))
  })

  for (const path of [
    '/v1/bookings',
    '/v1/bookings?createdFrom=0',
    '/v1/bookings?createdFrom=0&createdTo=2026-01-01',
    '/v1/bookings?createdFrom=0&createdTo=1768896000000',
    '/v1/bookings?createdFrom=0&createdTo=1&size=101',
    '/v1/bookings?createdFrom=0&createdTo=1&page=-1',
    '/v1/bookings?createdFrom=0&createdTo=1&email=ana@example.com',
    '/v1/users?size=0',
    '/travel/v1/users?cursor=foreign',
  ]) {
    it(`refuses ${path}`, async () => {
      expect((await send('GET', path, await authorize())).status).to.equal(400)
    })
  }

  it('returns all pages, even if it changes and its tokens expire meanwhile', async () => {
    const { book, expireTokens } = running.controls
    const [sample] = objectsAt(travelFixture('bookings-single-flight'), 'data')
    const add = (number: number) =>
      book({ ...sample, uuid: `added-${number}`, created: '2026-02-01T08:00:00.000Z' })
    for (let number = 0; number < 250; number++) add(number)
    const february = { created_from: '2026-02-01T00:00:00Z', created_to: '2026-02-02T00:00:00Z' }
    let pages = 0
    const egress: typeof loopbackEgress = {
      async send(request) {
        // Between the first page and the second.
        if (request.method === 'GET' && ++pages === 2) {
          expireTokens()
          add(250)
        }
        return loopbackEgress.send(request)
      },
    }
    const { output } = await runSkill(
      getBookings,
      { ...february, limit: 1000 },
      { settings: running.settings, egress },
    )
    expect(new Set(output.bookings.map(({ uuid }) => uuid)).size).to.equal(251)
    expect(output).to.deep.include({ partial: false, counts: { returned: 251, read: 251, total: 251 } })
    expect(running.controls.tokensIssued()).to.equal(2)
  })

  it('resets changes on restart', async () => {
    running.controls.cancel('b0000001-2222-4222-8222-000000000001')
    const other = await sandbox.start()
    await other.close()
    await running.close()
    running = await sandbox.start()
    const path = '/v1/bookings?createdFrom=0&createdTo=2000000000&bookingStatus=CANCELED'
    expect(valueAt((await send('GET', path, await authorize())).json, 'data')).to.have.length(1)
  })
})
