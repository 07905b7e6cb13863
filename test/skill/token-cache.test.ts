import { expect } from 'chai'
import { createTokenCache, type TokenCache, type TokenSource } from '../../core/skill/http/token-cache.ts'
import type { IssuedToken } from '../../core/skill/http/read-token.ts'
import { ManualClock, settle } from '../engine/support/manual-clock.ts'
import { failure } from './fixture.ts'

const hourMs = 3_600_000

/** A source of numbered tokens, which answers at once or when the test says so. */
class Issuer implements TokenSource {
  readonly key: string
  readonly signals: AbortSignal[] = []
  readonly waiting: PromiseWithResolvers<IssuedToken>[] = []
  lifetimeMs = hourMs
  isSlow = false

  constructor(key = 'one') {
    this.key = key
  }

  get fetched(): number {
    return this.signals.length
  }

  fetch(signal: AbortSignal): Promise<IssuedToken> {
    this.signals.push(signal)
    const answer = Promise.withResolvers<IssuedToken>()
    if (this.isSlow) this.waiting.push(answer)
    else answer.resolve(this.#token())
    return answer.promise
  }

  answer(): void {
    this.waiting.shift()?.resolve(this.#token())
  }

  #token(): IssuedToken {
    return { text: `${this.key}-${this.fetched}`, lifetimeMs: this.lifetimeMs }
  }
}

describe('the token cache', () => {
  let clock: ManualClock
  let cache: TokenCache
  let issuer: Issuer
  const signal = new AbortController().signal
  beforeEach(() => {
    clock = new ManualClock()
    cache = createTokenCache(clock)
    issuer = new Issuer()
  })
  const get = (source: TokenSource = issuer) => cache.get(source, signal)

  it('fetches a token once and keeps it', async () => {
    expect([await get(), await get()]).to.deep.equal(['one-1', 'one-1'])
    expect(issuer.fetched).to.equal(1)
  })

  for (const [lifetime, lifetimeMs, renewedAfterMs] of [
    ['five minutes before it expires', hourMs, hourMs - 300_000],
    ['a tenth of its life before, where that is less', 600_000, 540_000],
  ] as const) {
    it(`renews a token ${lifetime}`, async () => {
      issuer.lifetimeMs = lifetimeMs
      await get()
      clock.jump(renewedAfterMs - 1)
      expect(await get()).to.equal('one-1')
      clock.jump(1)
      expect(await get()).to.equal('one-2')
    })
  }

  it('measures the lifetime from the request', async () => {
    issuer.isSlow = true
    issuer.lifetimeMs = 600_000
    const first = get()
    clock.jump(60_000)
    issuer.answer()
    await first
    clock.jump(480_000)
    void get()
    expect(issuer.fetched).to.equal(2)
  })

  it('returns a token without lifetime to waiting callers and does not cache it', async () => {
    issuer.lifetimeMs = 0
    expect(await Promise.all([get(), get()])).to.deep.equal(['one-1', 'one-1'])
    expect(await get()).to.equal('one-2')
  })

  it('fetches once for concurrent callers', async () => {
    issuer.isSlow = true
    const all = Promise.all(Array.from({ length: 100 }, () => get()))
    await settle()
    issuer.answer()
    expect(new Set(await all)).to.deep.equal(new Set(['one-1']))
    expect(issuer.fetched).to.equal(1)
  })

  it('separates connections', async () => {
    expect(await Promise.all([get(), get(new Issuer('two'))])).to.deep.equal(['one-1', 'two-1'])
  })

  it('fails for all waiting callers if the source fails, and retries for the next', async () => {
    issuer.isSlow = true
    const all = Promise.all([failure(get()), failure(get())])
    const error = new Error('no token')
    await settle()
    issuer.waiting[0]?.reject(error)
    expect(await all).to.deep.equal([error, error])
    issuer.isSlow = false
    expect(await get()).to.equal('one-2')
  })

  describe('when a caller aborts', () => {
    it('continues for the others', async () => {
      issuer.isSlow = true
      const impatient = new AbortController()
      const left = failure(cache.get(issuer, impatient.signal))
      const stays = get()
      const reason = new Error('enough')
      impatient.abort(reason)
      expect(await left).to.equal(reason)
      expect(issuer.signals[0]?.aborted).to.equal(false)
      issuer.answer()
      expect(await stays).to.equal('one-1')
      expect(issuer.fetched).to.equal(1)
    })

    it('aborts after the last caller, and restarts for the next', async () => {
      issuer.isSlow = true
      const impatient = new AbortController()
      const left = failure(cache.get(issuer, impatient.signal))
      impatient.abort(new Error('enough'))
      await left
      expect(issuer.signals[0]?.aborted).to.equal(true)
      issuer.isSlow = false
      expect(await get()).to.equal('one-2')
    })

    it('does not fetch for a caller that aborted before', async () => {
      const reason = new Error('enough')
      expect(await failure(cache.get(issuer, AbortSignal.abort(reason)))).to.equal(reason)
      expect(issuer.fetched).to.equal(0)
    })
  })

  describe('when a token is refused', () => {
    const replace = (refused: string) => cache.replace(issuer, refused, signal)

    it('fetches a new one, once for all refused calls', async () => {
      const first = await get()
      issuer.isSlow = true
      const all = Promise.all(Array.from({ length: 100 }, () => replace(first)))
      await settle()
      issuer.answer()
      expect(new Set(await all)).to.deep.equal(new Set(['one-2']))
      expect(await replace(first)).to.equal('one-2')
      expect(issuer.fetched).to.equal(2)
    })

    it('does not fetch repeatedly if every token is refused', async () => {
      await replace(await get())
      expect(await replace(await get())).to.equal(undefined)
      expect(issuer.fetched).to.equal(2)
      clock.jump(10_000)
      expect(await replace(await get())).to.equal('one-3')
    })

    it('detects that the same token is issued again', async () => {
      const same: TokenSource = { key: 'same', fetch: async () => ({ text: 'same', lifetimeMs: hourMs }) }
      expect(await cache.replace(same, await get(same), signal)).to.equal(undefined)
    })
  })

  it('drops a token on request', async () => {
    await get()
    cache.forget('one')
    expect(await get()).to.equal('one-2')
  })

  it('bounds the number of tokens and drops the least recently used', async () => {
    const other = new Issuer('other')
    await get()
    await get(other)
    for (let count = 0; count < 998; count++) await get(new Issuer(`n-${count}`))
    await get()
    await get(new Issuer('last'))
    expect(await get()).to.equal('one-1')
    expect(await get(other)).to.equal('other-2')
  })
})
