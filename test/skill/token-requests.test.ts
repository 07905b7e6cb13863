import { expect } from 'chai'
import { inspect } from 'node:util'
import { ForbiddenError } from '../../core/errors/errors.ts'
import { mayHaveHappened } from '../../core/engine/context/retry-class.ts'
import {
  ConnectionError,
  RetryableError,
  Secret,
  SkillError,
  type ConnectionDefinition,
} from '../../core/plugin/index.ts'
import type { EgressRequest, EgressResponse } from '../../core/ports/egress.ts'
import { tryConnection } from '../../core/skill/call/authenticate.ts'
import { createTraffic } from '../../core/skill/http/traffic.ts'
import { ManualClock } from '../engine/support/manual-clock.ts'
import { canary, connection, failure, storedConnection } from './fixture.ts'
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
    expect(error.details).to.deep.equal({ status: 401, reason: 'invalid_client', connection: 'main' })
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
      tryConnection(options, definition, open, AbortSignal.timeout(30_000))
    return { requests, check, clock }
  }

  it('fetches a fresh token each time, with newly granted permissions', async () => {
    const { requests, check, clock } = checker(tokenSystem())
    await check()
    await check()
    expect(shown(requests).filter((line) => line === fetching)).to.have.length(2)
    expect(clock.pending, 'timers that are left').to.deep.equal([])
  })

  it('passes it to the plugin as a secret', async () => {
    const seen: Secret[] = []
    const { requests, check } = checker(tokenSystem())
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
    expect(await failure(checker(tokenSystem()).check(careless))).to.include({
      message: 'odd token [redacted]',
    })
  })

  it('has no token if none is declared', async () => {
    const without: ConnectionDefinition = {
      ...(connection as ConnectionDefinition),
      authenticate: async ({ token }) => void (await token()),
    }
    expect(await failure(checker(tokenSystem()).check(without))).to.include({
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
