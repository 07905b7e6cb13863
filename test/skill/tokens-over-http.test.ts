import { expect } from 'chai'
import { defineConnection } from '../../core/plugin/index.ts'
import { checkConnection, issueTokens, serveSandbox, type Failure } from '../../core/plugin/testing/index.ts'
import { createEgress, type ClosableEgress } from '../../server/egress/egress.ts'
import { failure } from './fixture.ts'

const connection = defineConnection({
  title: 'Tower',
  description: 'A tower.',
  settings: {
    type: 'object',
    required: ['base_url', 'client_secret'],
    additionalProperties: false,
    properties: {
      base_url: { type: 'string' },
      client_secret: { type: 'string', 'x-secret': true },
    },
  },
  baseUrl: ({ base_url }) => base_url,
  token: ({ client_secret }) => ({
    path: '/token',
    form: {
      grant_type: 'client_credentials',
      client_id: 'sandbox',
      client_secret: client_secret.reveal(),
    },
  }),
  authenticate: async ({ http }) => void (await http.get('/me')),
})

const sandbox = serveSandbox(
  () => {
    const tokens = issueTokens({ clientId: 'sandbox', clientSecret: 'sandbox-secret' })
    let refusals = 0
    const me = (isGood: boolean) => (isGood && refusals-- <= 0 ? { json: {} } : { status: 401 })
    return {
      answer: { 'POST /token': tokens.issue, 'GET /me': (call) => me(tokens.check(call)) },
      controls: { tokens, refuseOnce: () => void (refusals = 1) },
    }
  },
  (url) => ({ base_url: url, client_secret: 'sandbox-secret' }),
)

describe('a token over the real egress', () => {
  let running: Awaited<ReturnType<typeof sandbox.start>>
  let egress: ClosableEgress
  beforeEach(async () => {
    running = await sandbox.start()
    egress = createEgress({ allowPrivate: [new URL(running.url).host] })
  })
  afterEach(async () => {
    egress.close()
    await running.close()
  })

  const check = (more: object = {}) =>
    checkConnection(connection, { settings: { ...running.settings, ...more }, egress })

  it('is fetched and sent', async () => {
    await check()
    expect(running.requests.map(({ method, path }) => `${method} ${path}`)).to.deep.equal([
      'POST /token',
      'GET /me',
    ])
  })

  it('is fetched again if refused', async () => {
    running.controls.refuseOnce()
    await check()
    expect(running.controls.tokens.issued).to.equal(2)
  })

  it('is not issued for a wrong secret', async () => {
    expect(await failure(check({ client_secret: 'wrong-secret' }))).to.include({
      name: 'ConnectionError',
      code: 'token_refused',
    })
  })

  for (const [how, name, code] of [
    ['reset', 'RetryableError', 'network_error'],
    ['garbage', 'ConnectionError', 'token_unreadable'],
    ['huge', 'ConnectionError', 'token_unreadable'],
    ['gzip_bomb', 'ConnectionError', 'token_unreadable'],
  ] satisfies (readonly [Failure, string, string])[]) {
    it(`cannot be fetched from a system that answers with ${how}`, async () => {
      running.failNext(how)
      expect(await failure(check())).to.include({ name, code })
    })
  }

  for (const how of ['hang', 'drip'] as const) {
    it(`is not awaited beyond the deadline: ${how}`, async () => {
      running.failNext(how)
      const signal = AbortSignal.timeout(100)
      const work = checkConnection(connection, { settings: running.settings, egress, signal })
      expect(await failure(work)).to.equal(signal.reason)
    })
  }
})
