import { expect } from 'chai'
import { inspect } from 'node:util'
import { ForbiddenError } from '../../core/errors/errors.ts'
import { mayHaveHappened } from '../../core/engine/context/retry-class.ts'
import {
  ConnectionError,
  RetryableError,
  Secret,
  SkillError,
  defineConnection,
  type ConnectionDefinition,
  type SkillContext,
} from '../../core/plugin/index.ts'
import type { EgressRequest, EgressResponse } from '../../core/ports/egress.ts'
import { tryConnection } from '../../core/skill/call/authenticate.ts'
import { createTraffic } from '../../core/skill/http/traffic.ts'
import { ManualClock } from '../engine/support/manual-clock.ts'
import { callerOf, canary, connection, failure, skillThat, storedConnection } from './fixture.ts'

const login = 'https://login.example.com/t1/oauth2/v2.0/token'

const withToken: ConnectionDefinition = defineConnection({
  ...connection,
  headers: () => ({ 'X-App': 'tocsin' }),
  token: (settings) => ({
    path: login,
    form: { grant_type: 'client_credentials', client_id: 'c&1', client_secret: settings.key.reveal() },
    explain: ({ status, body }) =>
      (body as { error?: string } | undefined)?.error === 'invalid_client'
        ? `the client secret is wrong (${status})`
        : undefined,
  }),
  authenticate: async ({ http }) => void (await http.get('/me')),
})

type Answer = (request: EgressRequest) => Partial<EgressResponse> | Error

const handOut = (text: string, more: object = {}): Partial<EgressResponse> => ({
  body: JSON.stringify({ token_type: 'Bearer', expires_in: 3600, access_token: text, ...more }),
})

/** A system that hands out `canary-token-1`, `-2`, … and takes whatever `takes` says. */
function system(takes: (token: string) => boolean = () => true, onApi: Answer = () => ({ body: '{}' })) {
  let issued = 0
  const answer: Answer = (request) => {
    if (request.url === login) return handOut(`canary-token-${++issued}`)
    const token = request.headers['authorization']?.replace('Bearer ', '') ?? ''
    return takes(token) ? onApi(request) : { status: 401, body: '{"error":{"message":"expired"}}' }
  }
  return answer
}

type Work = (context: SkillContext<never>) => Promise<unknown>

function callerThat(work: Work, answer: Answer) {
  const skill = skillThat(
    async (_input, context) => {
      await work(context)
      return { text: '' }
    },
    { connection: withToken },
  )
  return callerOf(skill, { answer })
}

const getOnce: Work = ({ http }) => http.get('/a')
const shown = (requests: readonly EgressRequest[]) =>
  requests.map(
    ({ method, url, headers }) => `${method} ${new URL(url).pathname} ${headers['authorization'] ?? '-'}`,
  )

const fetching = 'POST /t1/oauth2/v2.0/token -'

describe('a connection with a token', () => {
  it('requests it with a form and sends it below the base address', async () => {
    const { call, requests } = callerThat(getOnce, system())
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
    const { call, requests } = callerThat(getOnce, system())
    await call()
    await call()
    await Promise.all([call(), call()])
    expect(shown(requests)).to.deep.equal([fetching, ...Array(4).fill('GET /v1/a Bearer canary-token-1')])
  })

  it('fetches it only when a request below the base address needs it', async () => {
    const { call, requests } = callerThat(async ({ http }) => {
      await http.post('https://login.example.com/other', { form: {} })
    }, system())
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
      // The other system takes each assertion once, and for a minute.
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
        system((token) => token === 'canary-token-2'),
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
        system((token) => token !== 'canary-token-1'),
      )
      await Promise.all(Array.from({ length: 100 }, () => call()))
      expect(shown(requests).filter((line) => line === fetching)).to.have.length(2)
      expect(requests).to.have.length(202)
    })

    it('returns the second refusal', async () => {
      const { call, requests } = callerThat(
        getOnce,
        system(() => false),
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
        system((token) => token === 'canary-token-2'),
      )
      await call()
      expect(statuses).to.deep.equal([200])
    })
  })

  it('fetches a new one after an edit', async () => {
    const answer = system()
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
    const { call, requests } = callerOf(skill, { answer: system(), connections })
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
      system(
        (token) => token === 'canary-token-2',
        ({ headers }) => ({ body: `you sent ${headers['authorization']}, not canary-token-1` }),
      ),
    )
    const error = await failure(call())
    expect(error.message).to.equal('it said you sent Bearer [redacted], not [redacted]')
    expect(inspect({ error, lines }, { depth: 9, showHidden: true })).not.to.include('canary')
  })
})

describe('a failed token request', () => {
  const tokenAnswer = async (answer: Partial<EgressResponse> | Error) => {
    const { call, requests } = callerThat(getOnce, () => answer)
    const error = await failure(call())
    expect(requests, 'nothing is sent without one').to.have.length(1)
    expect(inspect(error, { depth: 9, showHidden: true })).not.to.include('canary')
    return error
  }

  it('is a refusal with a hint in the words of the plugin', async () => {
    const body = JSON.stringify({ error: 'invalid_client', error_description: `bad secret ${canary}` })
    const error = await tokenAnswer({ status: 401, body })
    expect(error)
      .to.be.instanceOf(ConnectionError)
      .and.to.include({
        code: 'token_refused',
        message: `no token for connection 'main': POST ${login} answered 401: bad secret [redacted]`,
        hint: 'the client secret is wrong (401)',
      })
    expect(error.details).to.deep.equal({ status: 401, connection: 'main' })
  })

  for (const status of [302, 400, 403, 404]) {
    it(`is refused with ${status}`, async () => {
      expect(await tokenAnswer({ status, body: '<html>' })).to.include({
        name: 'ConnectionError',
        code: 'token_refused',
        hint: "check the credentials of connection 'main'",
      })
    })
  }

  for (const status of [408, 429, 500, 503]) {
    it(`can be retried after ${status}, and the request behind it was not sent`, async () => {
      const error = await tokenAnswer({ status, headers: { 'retry-after': '7' } })
      expect(error)
        .to.be.instanceOf(RetryableError)
        .and.to.include({ code: `http_${status}`, retryAfterMs: 7_000 })
      expect(error.hint).to.match(/the other system/)
      expect(mayHaveHappened(error)).to.equal(false)
    })
  }

  it('can be retried after a network failure', async () => {
    const cut = new RetryableError('network_error', 'cut', { details: { code: 'ECONNRESET' } })
    const error = await tokenAnswer(cut)
    expect(error).to.include({
      name: 'RetryableError',
      code: 'network_error',
      message: "no token for connection 'main': cut",
    })
    expect(mayHaveHappened(error)).to.equal(false)
    expect(mayHaveHappened(cut)).to.equal(true)
  })

  for (const [what, answer] of Object.entries({
    'a sign-in page': { body: '<!doctype html>' },
    nothing: {},
    'a token with a line break': handOut('canary\r\nx: y'),
  })) {
    it(`is unreadable: ${what}`, async () => {
      expect(await tokenAnswer(answer)).to.include({ name: 'ConnectionError', code: 'token_unreadable' })
    })
  }

  it('is unreadable: too large', async () => {
    const error = await tokenAnswer(new SkillError('response_too_large', 'the answer is larger than 10 MB'))
    expect(error).to.include({ name: 'ConnectionError', code: 'token_unreadable' })
  })

  it('is not sent if the operator forbids it', async () => {
    const forbidden = new ForbiddenError('egress_forbidden', 'no')
    expect(await tokenAnswer(forbidden)).to.equal(forbidden)
  })
})

describe('the connection test with a token', () => {
  const open = { connection: storedConnection('main'), secrets: { key: new Secret(canary) } }

  const checker = (answer: Answer) => {
    const requests: EgressRequest[] = []
    const clock = new ManualClock()
    const egress = {
      async send(request: EgressRequest): Promise<EgressResponse> {
        requests.push(request)
        const given = answer(request)
        if (given instanceof Error) throw given
        return { status: 200, headers: {}, body: '', ...given }
      },
    }
    const options = { egress, clock, traffic: createTraffic(clock) }
    const check = (definition: ConnectionDefinition = withToken) =>
      tryConnection(options, definition, open, AbortSignal.timeout(1_000))
    return { requests, check, clock }
  }

  it('fetches a fresh token each time, with newly granted permissions', async () => {
    const { requests, check, clock } = checker(system())
    await check()
    await check()
    expect(shown(requests).filter((line) => line === fetching)).to.have.length(2)
    expect(clock.pending, 'timers that are left').to.deep.equal([])
  })

  it('passes it to the plugin as a secret', async () => {
    const seen: Secret[] = []
    const { requests, check } = checker(system())
    await check({
      ...withToken,
      authenticate: async ({ token }) => void seen.push(await token(), await token()),
    })
    expect(seen.map((secret) => secret.reveal())).to.deep.equal(['canary-token-1', 'canary-token-1'])
    expect(String(seen[0])).to.equal('[redacted]')
    expect(requests).to.have.length(1)
  })

  it('never shows it', async () => {
    const careless: ConnectionDefinition = {
      ...withToken,
      authenticate: async ({ token }) => {
        throw new SkillError('odd', `odd token ${(await token()).reveal()}`)
      },
    }
    expect(await failure(checker(system()).check(careless))).to.include({ message: 'odd token [redacted]' })
  })

  it('has no token if none is declared', async () => {
    const without: ConnectionDefinition = {
      ...(connection as ConnectionDefinition),
      authenticate: async ({ token }) => void (await token()),
    }
    expect(await failure(checker(system()).check(without))).to.include({
      message: 'the connection declares no token',
    })
  })

  it('ends even if the other system never answers', async () => {
    const clock = new ManualClock()
    const signals: AbortSignal[] = []
    const hang = ({ signal }: EgressRequest) =>
      new Promise<never>((_, reject) => {
        signals.push(signal)
        signal.addEventListener('abort', () => reject(signal.reason as Error))
      })
    const work = failure(
      tryConnection({ egress: { send: hang }, clock }, withToken, open, new AbortController().signal),
    )
    await clock.advance(20_000)
    const error = await work
    expect(error).to.include({
      name: 'RetryableError',
      code: 'network_error',
      message: `no token for connection 'main': POST ${login} gave no answer within 20 s`,
      hint: 'the other system is slow, usually temporarily; check its address',
    })
    expect(error.details).to.deep.equal({ code: 'ETIMEDOUT', connection: 'main', sent: false })
    expect(mayHaveHappened(error)).to.equal(false)
    expect(signals).to.have.length(1)
    expect(clock.pending).to.deep.equal([])
  })
})
