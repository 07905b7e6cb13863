import { expect } from 'chai'
import { inspect } from 'node:util'
import { Secret, type ConnectionDefinition } from '../../core/plugin/index.ts'
import { ManualClock } from '../engine/support/manual-clock.ts'
import { callerOf, canary, failure, skillThat, storedConnection } from './fixture.ts'
import {
  login,
  withToken,
  type Answer,
  handOut,
  tokenSystem,
  callerThat,
  getOnce,
  shown,
  fetching,
} from './token-system.ts'

describe('a connection with a token', () => {
  it('requests it with a form and sends it below the base address', async () => {
    const { call, requests } = callerThat(getOnce, tokenSystem())
    await call()
    expect(requests[0]).to.deep.include({
      method: 'POST',
      url: login,
      body: `grant_type=client_credentials&client_id=c%261&client_secret=${canary}`,
      headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
    })
    expect(requests[1]?.headers).to.deep.equal({
      accept: 'application/json',
      'x-app': 'tocsin',
      authorization: 'Bearer canary-token-1',
    })
  })

  it('caches it for later calls', async () => {
    const { call, requests } = callerThat(getOnce, tokenSystem())
    await call()
    await call()
    await Promise.all([call(), call()])
    expect(shown(requests)).to.deep.equal([fetching, ...Array(4).fill('GET /v1/a Bearer canary-token-1')])
  })

  it('fetches it only when a request below the base address needs it', async () => {
    const { call, requests } = callerThat(async ({ http }) => {
      await http.post('https://login.example.com/other', { form: {} })
    }, tokenSystem())
    await call()
    expect(shown(requests)).to.deep.equal(['POST /other -'])
  })

  it('resolves the token address below the base address too', async () => {
    const below = { ...withToken, token: () => ({ path: '/oauth/token', form: {} }) }
    const skill = skillThat(async (_, { http }) => ({ text: (await http.get('/a')).text }), {
      connection: below,
    })
    const { call, requests } = callerOf(skill, {
      answer: ({ url }) => (url.endsWith('/oauth/token') ? handOut('t') : { body: 'yes' }),
    })
    expect(await call()).to.deep.equal({ text: 'yes' })
    expect(shown(requests)).to.deep.equal(['POST /v1/oauth/token -', 'GET /v1/a Bearer t'])
  })

  it('refuses a token address that the connection does not list', async () => {
    for (const path of ['https://evil.example/token', 'https://box.example.com@evil.example/', '/../token']) {
      const skill = skillThat(async (_, { http }) => ({ text: (await http.get('/a')).text }), {
        connection: { ...withToken, token: () => ({ path, form: { client_secret: canary } }) },
      })
      const { call, requests } = callerOf(skill)
      expect(await failure(call()), path).to.include({ code: 'bad_path' })
      expect(requests).to.deep.equal([])
    }
  })

  it('calls the plugin for each token and request, with the time of sending', async () => {
    const clock = new ManualClock()
    const timed: ConnectionDefinition = {
      ...withToken,
      headers: (_settings, { nowMs }) => ({ 'X-Time': String(nowMs) }),
      token: (_settings, { nowMs }) => ({
        path: login,
        form: { grant_type: 'client_credentials', client_assertion: `jwt-assertion-${nowMs}` },
      }),
    }
    let issued = 0
    const answer: Answer = ({ url, body }) => {
      if (url !== login) return { body: 'yes' }
      const assertion = new URLSearchParams(String(body)).get('client_assertion')
      // The other system accepts each assertion once, within a minute.
      if (assertion !== `jwt-assertion-${clock.now()}`) return { status: 401, body: `no ${assertion}` }
      return handOut(`canary-token-${++issued}`, { expires_in: 60 })
    }
    const skill = skillThat(async (_, { http }) => ({ text: (await http.get('/a')).text }), {
      connection: timed,
    })
    const { call, requests } = callerOf(skill, { answer, clock })
    for (const passed of [0, 30_000, 30_000, 600_000]) {
      await clock.advance(passed)
      expect(await call()).to.deep.equal({ text: 'yes' })
      expect(requests.at(-1)?.headers['x-time']).to.equal(String(clock.now()))
    }
    expect(issued, 'tokens are kept as long as they last').to.equal(3)
  })

  it('names the connection if no token request can be built, without its assertion', async () => {
    const from = (token: ConnectionDefinition['token']) =>
      callerOf(
        skillThat(async (_, { http }) => ({ text: (await http.get('/a')).text }), {
          connection: { ...withToken, token },
        }),
        { answer: () => ({ status: 400, body: '{"error_description":"bad jwt-assertion-1"}' }) },
      )
    const unsigned = from(() => {
      throw new Error(`cannot sign with ${canary}`)
    })
    expect(await failure(unsigned.call())).to.include({
      name: 'ConnectionError',
      code: 'connection_invalid',
      message: "the token request of connection 'main' cannot be made: cannot sign with [redacted]",
    })
    const refused = from(() => ({ path: login, form: { client_assertion: 'jwt-assertion-1' } }))
    expect((await failure(refused.call())).message).to.include('bad [redacted]')
  })

  describe('with a refused token', () => {
    it('fetches another and repeats the request once, even a POST', async () => {
      const { call, requests } = callerThat(
        ({ http }) => http.post('/a', { json: { n: 1 } }),
        tokenSystem((token) => token === 'canary-token-2'),
      )
      await call()
      expect(shown(requests)).to.deep.equal([
        fetching,
        'POST /v1/a Bearer canary-token-1',
        fetching,
        'POST /v1/a Bearer canary-token-2',
      ])
      expect(requests[3]?.body).to.equal('{"n":1}')
    })

    it('fetches one for a hundred refused calls', async () => {
      const { call, requests } = callerThat(
        getOnce,
        tokenSystem((token) => token !== 'canary-token-1'),
      )
      await Promise.all(Array.from({ length: 100 }, () => call()))
      expect(shown(requests).filter((line) => line === fetching)).to.have.length(2)
      expect(requests).to.have.length(202)
    })

    it('returns the second refusal', async () => {
      const { call, requests } = callerThat(
        getOnce,
        tokenSystem(() => false),
      )
      expect(await failure(call())).to.include({ name: 'ConnectionError', code: 'http_401' })
      expect(requests).to.have.length(4)
      expect(await failure(call())).to.include({ code: 'http_401' })
      expect(requests, 'without a storm of tokens').to.have.length(5)
    })

    it('fetches another even if the skill accepts 401', async () => {
      const statuses: number[] = []
      const { call } = callerThat(
        async ({ http }) => void statuses.push((await http.get('/a', { accept: [401] })).status),
        tokenSystem((token) => token === 'canary-token-2'),
      )
      await call()
      expect(statuses).to.deep.equal([200])
    })
  })

  it('fetches a new one after an edit', async () => {
    const answer = tokenSystem()
    const skill = skillThat(async (_, { http }) => ({ text: (await http.get('/a')).text }), {
      connection: withToken,
    })
    const secrets: { key: Secret } = { key: new Secret(canary) }
    const { call, requests } = callerOf(skill, { answer, secrets })
    await call()
    secrets.key = new Secret('another-secret')
    await call()
    await call()
    expect(shown(requests)).to.deep.equal([
      fetching,
      'GET /v1/a Bearer canary-token-1',
      fetching,
      'GET /v1/a Bearer canary-token-2',
      'GET /v1/a Bearer canary-token-2',
    ])
  })

  it('has its own token, even if another connection has the same settings', async () => {
    const skill = skillThat(async (_, { http }) => ({ text: (await http.get('/a')).text }), {
      connection: withToken,
    })
    const connections = [storedConnection('main'), storedConnection('other')]
    const { call, requests } = callerOf(skill, { answer: tokenSystem(), connections })
    await call({ connection: 'main' })
    await call({ connection: 'other' })
    expect(shown(requests).filter((line) => line === fetching)).to.have.length(2)
  })

  it('shows neither the old token nor its replacement', async () => {
    const { call, lines } = callerThat(
      async ({ http, log }) => {
        const { text } = await http.get('/a')
        log.info(`it said ${text}`, { text })
        throw new Error(`it said ${text}`)
      },
      tokenSystem(
        (token) => token === 'canary-token-2',
        ({ headers }) => ({ body: `you sent ${headers['authorization']}, not canary-token-1` }),
      ),
    )
    const error = await failure(call())
    expect(error.message).to.equal('it said you sent Bearer [redacted], not [redacted]')
    expect(inspect({ error, lines }, { depth: 9, showHidden: true })).not.to.include('canary')
  })
})
