import { expect } from 'chai'
import { RetryableError, Secret } from '../../core/plugin/index.ts'
import { tryConnection } from '../../core/skill/call/authenticate.ts'
import { checkSettings } from '../../core/skill/connection/settings.ts'
import { ManualClock } from '../engine/support/manual-clock.ts'
import { canary, connection, failure, storedConnection } from './fixture.ts'

describe('checkSettings', () => {
  it('applies defaults and separates secrets', () => {
    const { settings, secrets } = checkSettings(connection, { base_url: 'https://a.example', key: canary })
    expect(settings).to.deep.equal({ base_url: 'https://a.example', region: 'eu' })
    expect(secrets['key']?.reveal()).to.equal(canary)
  })

  it('refuses unknown, missing and invalid fields without showing them', async () => {
    const refused = async (typed: unknown): Promise<string> =>
      (await failure(Promise.resolve().then(() => checkSettings(connection, typed)))).message
    expect(await refused({ base_url: 'x', key: canary, base_ulr: 'y' })).to.include(
      "unknown field 'base_ulr', did you mean 'base_url'?",
    )
    expect(await refused({ base_url: 'x' })).to.include('/key is missing')
    expect(await refused({ base_url: 'x', key: 'abc' }))
      .to.include('/key')
      .and.not.include('abc')
    expect(await refused(null)).to.include('must be an object')
    expect(await refused(JSON.parse(`{"base_url":"x","key":"${canary}","__proto__":{"a":1}}`))).to.include(
      "unknown field '__proto__'",
    )
  })
})

describe('authenticate', () => {
  const clock = new ManualClock()
  const open = { connection: storedConnection('main'), secrets: { key: new Secret(canary) } }
  const asking = (status: number) => ({
    egress: { send: async () => ({ status, headers: {}, body: canary }) },
    clock,
  })

  it('resolves if the other system accepts the credentials', async () => {
    expect(await tryConnection(asking(200), connection, open, AbortSignal.timeout(30_000))).to.deep.equal({})
  })

  it('returns warnings of the plugin without secrets, and passes it the time', async () => {
    const warns: typeof connection = {
      ...connection,
      authenticate: async ({ nowMs }: { nowMs: number }) => ({
        warning: `${canary} ends ${clock.now() + 1_000 - nowMs} ms from now`,
      }),
    }
    expect(await tryConnection(asking(200), warns, open, AbortSignal.timeout(30_000))).to.deep.equal({
      warning: '[redacted] ends 1000 ms from now',
    })
  })

  it('throws a ConnectionError otherwise, without the secret', async () => {
    const error = await failure(tryConnection(asking(401), connection, open, AbortSignal.timeout(30_000)))
    expect(error).to.include({ name: 'ConnectionError', code: 'http_401' })
    expect(error.message).not.to.include(canary)
  })

  it('reports if the other system is only busy', async () => {
    const error = await failure(tryConnection(asking(503), connection, open, AbortSignal.timeout(30_000)))
    expect(error).to.be.instanceOf(RetryableError)
  })
})
