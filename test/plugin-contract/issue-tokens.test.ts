import { expect } from 'chai'
import {
  issueTokens,
  loopbackEgress,
  serveSandbox,
  type ServedSandbox,
} from '../../core/plugin/testing/index.ts'
import type { EgressResponse } from '../../core/ports/egress.ts'

let nowMs = 0

const sandbox = serveSandbox(
  () => {
    const tokens = issueTokens({
      clientId: 'sandbox',
      clientSecret: 'sandbox-secret',
      form: { scope: 'all' },
      expiresInS: 60,
      answer: { ext_expires_in: 60 },
      tokenText: (text) => `jwt.${text}`,
      now: () => nowMs,
    })
    return {
      answer: {
        'POST /token': tokens.issue,
        'GET /me': (call) => ({ status: tokens.check(call) ? 200 : 401 }),
      },
      controls: tokens,
    }
  },
  () => ({}),
)

const form = {
  grant_type: 'client_credentials',
  client_id: 'sandbox',
  client_secret: 'sandbox-secret',
  scope: 'all',
}

describe('issueTokens', () => {
  let running: ServedSandbox<{ readonly issued: number; expireAll(): void }>
  beforeEach(async () => {
    nowMs = 0
    running = await sandbox.start()
  })
  afterEach(() => running.close())

  const send = (method: string, path: string, headers: Readonly<Record<string, string>>, body?: string) =>
    loopbackEgress.send({
      method,
      url: running.url + path,
      headers,
      body,
      signal: AbortSignal.timeout(30_000),
    })

  const ask = (fields: Readonly<Record<string, string>>, type = 'application/x-www-form-urlencoded') =>
    send('POST', '/token', { 'content-type': type }, new URLSearchParams(fields).toString())

  const me = async (authorization: string) => (await send('GET', '/me', { authorization })).status

  const json = ({ status, body }: EgressResponse) => ({
    status,
    ...(JSON.parse(body) as { access_token: string }),
  })

  it('issues a token that is valid until it expires', async () => {
    const answer = json(await ask(form))
    expect(answer).to.deep.include({ status: 200, token_type: 'Bearer', expires_in: 60, ext_expires_in: 60 })
    expect(answer.access_token).to.match(/^jwt\.sandbox-token-1-/)
    expect(await me(`Bearer ${answer.access_token}`)).to.equal(200)
    nowMs = 60_000
    expect(await me(`Bearer ${answer.access_token}`)).to.equal(401)
  })

  it('refuses other tokens', async () => {
    const { access_token } = json(await ask(form))
    for (const header of [access_token, `Basic ${access_token}`, `Bearer ${access_token}x`, 'Bearer ', '']) {
      expect(await me(header), header).to.equal(401)
    }
  })

  it('expires all tokens on request', async () => {
    const { access_token } = json(await ask(form))
    running.controls.expireAll()
    expect(await me(`Bearer ${access_token}`)).to.equal(401)
    expect(await me(`Bearer ${json(await ask(form)).access_token}`)).to.equal(200)
    expect(running.controls.issued).to.equal(2)
  })

  it('refuses tokens of an earlier sandbox', async () => {
    const { access_token } = json(await ask(form))
    await running.close()
    running = await sandbox.start()
    await ask(form)
    expect(await me(`Bearer ${access_token}`)).to.equal(401)
  })

  for (const [what, change, status, error] of [
    ['a wrong secret', { client_secret: 'x' }, 401, 'invalid_client'],
    ['an unknown client', { client_id: 'x' }, 401, 'invalid_client'],
    ['another grant', { grant_type: 'password' }, 400, 'unsupported_grant_type'],
    ['another scope', { scope: 'less' }, 400, 'invalid_scope'],
  ] as const) {
    it(`refuses ${what}`, async () => {
      expect(json(await ask({ ...form, ...change }))).to.deep.include({ status, error })
    })
  }

  it('refuses a form with a missing field, and a body that is not a form', async () => {
    for (const name of Object.keys(form)) {
      const { [name]: _left, ...rest } = form as Record<string, string>
      expect(json(await ask(rest)), name).to.deep.include({ status: 400, error: 'invalid_request' })
    }
    expect(json(await ask(form, 'application/json'))).to.deep.include({
      status: 400,
      error: 'invalid_request',
    })
    expect(running.controls.issued).to.equal(0)
  })
})
