import { expect } from 'chai'
import { eventually } from '../support/eventually.ts'
import { startApi, type Api } from './support/api.ts'

describe('slots for Prefer: wait', () => {
  let api: Api
  let waiting: number
  let leave: AbortController

  beforeEach(async () => {
    api = await startApi({ limits: { maxWaits: 3, maxWaitsOfOrganizations: 2 } })
    waiting = 0
    leave = new AbortController()
    api.investigations.wait = () => {
      waiting += 1
      return new Promise(() => undefined)
    }
  })
  afterEach(async () => {
    leave.abort()
    await api.close()
  })

  const send = (key: string, code: string, signal = leave.signal): Promise<Response> =>
    fetch(`${api.url}/api/alerts`, {
      method: 'POST',
      signal,
      headers: { cookie: `Session=${key}`, 'content-type': 'application/json', prefer: 'wait=60' },
      body: JSON.stringify({
        alert_content: '{}',
        alert_provider: 'SIEM',
        organization_code: code,
        alert_type: 'x',
      }),
    })
  async function begin(key: string, code: string, signal = leave.signal): Promise<void> {
    const before = waiting
    send(key, code, signal).catch(() => undefined)
    await eventually('one more that waits', () => waiting > before || undefined)
  }
  async function expectAtOnce(key: string, code: string): Promise<void> {
    const before = waiting
    const answer = await send(key, code)
    expect([answer.status, answer.headers.get('preference-applied')]).to.deep.equal([201, null])
    expect(waiting).to.equal(before)
  }

  it('are limited per set of organizations, and alerts beyond are answered at once', async () => {
    await begin(await api.newKey('intake', ['acme']), 'acme')
    await begin(await api.newKey('intake', ['acme']), 'acme')
    await expectAtOnce(await api.newKey('intake', ['acme']), 'acme')
    await begin(await api.newKey('intake', ['globex']), 'globex')
    // All places are taken.
    await expectAtOnce(await api.newKey('intake', ['globex']), 'globex')
  })

  it('are freed when a client disconnects', async () => {
    const key = await api.newKey('intake', ['acme'])
    const gone = new AbortController()
    await begin(key, 'acme')
    await begin(key, 'acme', gone.signal)
    await expectAtOnce(key, 'acme')
    gone.abort()
    await eventually('a place', async () => {
      const before = waiting
      const answer = send(key, 'acme')
      answer.catch(() => undefined)
      await Promise.race([answer, eventually('it', () => waiting > before || undefined)])
      return waiting > before || undefined
    })
  })

  it('are freed when the alert is answered', async () => {
    const key = await api.newKey('intake', ['acme'])
    api.investigations.wait = () => Promise.resolve()
    for (let n = 0; n < 5; n++) {
      const answer = await send(key, 'acme')
      expect(answer.headers.get('preference-applied')).to.equal('wait=60')
    }
  })
})
