import { expect } from 'chai'
import { mayHaveHappened } from '../../core/engine/context/retry-class.ts'
import {
  defineConnection,
  type ConnectionDefinition,
  type RatedRequest,
  type SkillContext,
} from '../../core/plugin/index.ts'
import type { EgressRequest, EgressResponse } from '../../core/ports/egress.ts'
import { ManualClock, settle } from '../engine/support/manual-clock.ts'
import { callerOf, connection, failure, skillThat, storedConnection } from './fixture.ts'

const perMinute = (bucket: string, requests: number) => ({ bucket, limits: [{ requests, perMs: 60_000 }] })

const withRate = (rate: ConnectionDefinition['rate']): ConnectionDefinition =>
  defineConnection({ ...connection, ...(rate && { rate }) })

type Work = (context: SkillContext<never>) => Promise<unknown>

describe('the rate limit of a connection', () => {
  let clock: ManualClock
  beforeEach(() => {
    clock = new ManualClock()
  })

  function callerThat(
    rate: ConnectionDefinition['rate'],
    work: Work = ({ http }) => http.get('/a'),
    answer: (request: EgressRequest) => Partial<EgressResponse> | Error = () => ({}),
    connections = [storedConnection('main')],
  ) {
    const run: Work = async (context) => (await work(context), { text: '' })
    const skill = skillThat((_input, context) => run(context), { connection: withRate(rate) })
    const caller = callerOf(skill, { answer, clock, connections })
    const attempt = (deadlineMs: number) => ({
      number: 1,
      idempotencyKey: 'k',
      deadlineMs,
      signal: new AbortController().signal,
    })
    return {
      requests: caller.requests,
      call: (deadlineMs = Infinity, connection = 'main', budgetShare?: number) =>
        caller.call({ connection, attempt: attempt(deadlineMs), budgetShare }),
    }
  }

  it('applies to all calls together', async () => {
    const { call, requests } = callerThat(() => ({ bucket: 'all', limits: [{ requests: 2, perMs: 4_000 }] }))
    const all = Promise.all([call(), call(), call(), call(), call()])
    await settle()
    expect(requests).to.have.length(2)
    await clock.advance(4_000)
    expect(requests).to.have.length(4)
    await clock.advance(4_000)
    await all
  })

  it('gives a call with a share only its part, also below one request', async () => {
    const { call, requests } = callerThat(() => ({
      bucket: 'all',
      limits: [{ requests: 20, perMs: 60_000 }],
    }))
    const shared = () => call(Infinity, 'main', 0.1)
    await Promise.all([shared(), shared()])
    expect(await failure(shared())).to.include({ code: 'rate_limited', retryAfterMs: 60_000 })
    await Promise.all(Array.from({ length: 18 }, () => call()))
    expect(requests).to.have.length(20)
    await clock.advance(60_000)
    await shared()
    const rare = callerThat(() => ({ bucket: 'all', limits: [{ requests: 4, perMs: 60_000 }] }))
    await rare.call(Infinity, 'main', 0.1)
    expect(await failure(rare.call(Infinity, 'main', 0.1))).to.include({ retryAfterMs: 150_000 })
  })

  it('lets a call with a share neither overtake nor wait among others', async () => {
    const { call, requests } = callerThat(() => ({ bucket: 'all', limits: [{ requests: 2, perMs: 4_000 }] }))
    const others = Promise.all([call(), call(), call()])
    await settle()
    expect(await failure(call(Infinity, 'main', 1))).to.include({ code: 'rate_limited', retryAfterMs: 1_000 })
    await clock.advance(4_000)
    await others
    expect(requests).to.have.length(3)
    await call(Infinity, 'main', 1)
    expect(await failure(call(Infinity, 'main', 1))).to.include({ code: 'rate_limited' })
    expect(requests).to.have.length(4)
  })

  it('is separate for other buckets and connections', async () => {
    const connections = [storedConnection('main'), storedConnection('other')]
    const work: Work = async ({ http }) => {
      await http.get('/a')
      await http.get('/b')
    }
    const { call, requests } = callerThat(({ path }) => perMinute(path, 1), work, undefined, connections)
    await Promise.all([call(Infinity, 'main'), call(Infinity, 'other')])
    expect(requests).to.have.length(4)
    expect(await failure(call())).to.include({ code: 'rate_limited' })
  })

  it('depends on method and path of the skill, without the query', async () => {
    const asked: RatedRequest[] = []
    const { call } = callerThat(
      (request) => void asked.push(request),
      async ({ http }) => {
        await http.get(['a', 1], { query: { y: 2 } })
        await http.post('https://login.example.com/hook', { json: {} })
      },
    )
    await call()
    expect(asked).to.deep.equal([
      { method: 'GET', path: '/a/1' },
      { method: 'POST', path: 'https://login.example.com/hook' },
    ])
  })

  it('refuses a call that would wait too long without sending it', async () => {
    const { call, requests } = callerThat(() => perMinute('all', 1))
    await call()
    await clock.advance(20_000)
    const error = await failure(call())
    expect(error).to.include({
      name: 'RetryableError',
      code: 'rate_limited',
      message: "connection 'main' reached the rate limit of its plugin; next request possible in 40 s",
      hint: 'try again then',
      retryAfterMs: 40_000,
    })
    expect(error.details).to.deep.equal({ connection: 'main', bucket: 'requests all', sent: false })
    expect(mayHaveHappened(error)).to.equal(false)
    expect(requests).to.have.length(1)
  })

  it('waits at most half of the remaining time of the attempt', async () => {
    const { call } = callerThat(() => ({ bucket: 'all', limits: [{ requests: 1, perMs: 4_000 }] }))
    await call()
    expect(await failure(call(clock.now() + 7_999))).to.include({ code: 'rate_limited' })
    const inTime = call(clock.now() + 8_000)
    await clock.advance(4_000)
    await inTime
  })

  it('admits a call without a wait even just before the deadline', async () => {
    const { call } = callerThat(() => perMinute('all', 1))
    await call(clock.now() - 1)
  })

  describe('after a 429', () => {
    const busyOnce = (headers: Record<string, string>) => {
      let isFirst = true
      return (): Partial<EgressResponse> => {
        const answer = { status: isFirst ? 429 : 200, headers }
        isFirst = false
        return answer
      }
    }

    for (const rate of [undefined, () => undefined, () => ({ bucket: 'all', limits: [] })]) {
      it(`blocks all calls until Retry-After is over (${String(rate)})`, async () => {
        const { call, requests } = callerThat(rate, undefined, busyOnce({ 'retry-after': '7' }))
        expect(await failure(call())).to.include({ code: 'http_429', retryAfterMs: 7_000 })
        const waiting = [call(), call()]
        await clock.advance(6_999)
        expect(requests).to.have.length(1)
        await clock.advance(1)
        await Promise.all(waiting)
      })
    }

    it('respects a Retry-After of up to five minutes', async () => {
      const { call } = callerThat(undefined, undefined, busyOnce({ 'retry-after': '86400' }))
      await failure(call())
      expect(await failure(call())).to.include({
        code: 'rate_limited',
        message: "the other system asked connection 'main' to pause (429); the pause ends in 300 s",
        hint: 'too many requests, possibly by other clients with the same credentials: try again then',
        retryAfterMs: 300_000,
      })
      await clock.advance(300_000)
      await call()
    })

    it('continues if the response has no Retry-After', async () => {
      const { call } = callerThat(undefined, undefined, busyOnce({}))
      await failure(call())
      await call()
    })

    it('closes only one bucket', async () => {
      const { call, requests } = callerThat(
        ({ path }) => ({ bucket: path, limits: [] }),
        async ({ http }) => {
          await http.get('/a', { accept: [429] })
          await http.get('/b')
        },
        busyOnce({ 'retry-after': '60' }),
      )
      await call()
      expect(requests).to.have.length(2)
      expect(await failure(call())).to.include({ code: 'rate_limited' })
    })
  })

  it('does not delay token requests, which have their own limit', async () => {
    const definition = {
      ...withRate(() => perMinute('all', 1)),
      token: () => ({ path: 'https://login.example.com/token', form: {} }),
    }
    let isBusy = true
    const answer = ({ url }: EgressRequest): Partial<EgressResponse> => {
      if (!url.endsWith('/token')) return {}
      return isBusy ? { status: 429, headers: { 'retry-after': '5' } } : { body: '{"access_token":"t"}' }
    }
    const skill = skillThat(async (_, { http }) => ({ text: (await http.get('/a')).text }), {
      connection: definition,
    })
    const { call, requests } = callerOf(skill, { answer, clock })
    expect(await failure(call())).to.include({ code: 'http_429', retryAfterMs: 5_000 })
    isBusy = false
    const held = await failure(call())
    expect(held).to.include({ name: 'RetryableError', code: 'rate_limited', retryAfterMs: 5_000 })
    expect(mayHaveHappened(held)).to.equal(false)
    expect(requests).to.have.length(1)
    await clock.advance(5_000)
    await call()
    expect(requests).to.have.length(3)
  })

  for (const [requests, perMs] of [
    [0, 1_000],
    [1.5, 1_000],
    [1, 0],
    [1, Infinity],
    [20_000, 1_000],
  ] as const) {
    it(`is a plugin bug if it is ${requests} per ${perMs} ms`, async () => {
      const { call } = callerThat(() => ({ bucket: 'all', limits: [{ requests, perMs }] }))
      expect((await failure(call())).message).to.include(`the rate ${requests} per ${perMs} ms is invalid`)
    })
  }

  it('does not exist without a connection', async () => {
    const run: Work = async ({ http }) => ({
      text: (await http.get('https://example.com/a', { accept: [429] })).text,
    })
    const skill = skillThat((_input, context) => run(context), { connection: undefined })
    const answer = () => ({ status: 429, headers: { 'retry-after': '60' } })
    const { call, requests } = callerOf(skill, { answer, clock })
    await call()
    await call()
    expect(requests).to.have.length(2)
  })
})
