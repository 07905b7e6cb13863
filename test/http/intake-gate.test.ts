import { once } from 'node:events'
import { connect } from 'node:net'
import { expect } from 'chai'
import { createIntakeGate } from '../../server/http/limits/intake-gate.ts'
import type { ReceivedAlert } from '../../core/ports/alert-store.ts'
import { eventually } from '../support/eventually.ts'
import { expectRejection } from '../contract/fixture.ts'
import { startApi, type Api } from './support/api.ts'
import { expectProblem } from './support/schemas.ts'

describe('the alert intake queue', () => {
  /** Writes that end on request, in the order in which they began. */
  function heldStores(limits: { readonly maxStoring: number; readonly maxWaiting: number }) {
    const gate = createIntakeGate(limits)
    const begun: string[] = []
    const ends: ((error?: Error) => void)[] = []
    const enter = (organization: string): Promise<string> =>
      gate.inTurn(organization, () => {
        begun.push(organization)
        return new Promise((resolve, reject) =>
          ends.push((error) => (error === undefined ? resolve(organization) : reject(error))),
        )
      })
    const endNext = async (error?: Error): Promise<void> => {
      ends.shift()?.(error)
      await new Promise((resolve) => setImmediate(resolve))
    }
    return { gate, begun, enter, endNext }
  }

  it('alternates between organizations, no matter how many alerts one sends', async () => {
    const { begun, enter, endNext } = heldStores({ maxStoring: 2, maxWaiting: 100 })
    const all = [...Array.from({ length: 20 }, () => enter('storm')), enter('calm'), enter('calm')]
    expect(begun).to.deep.equal(['storm', 'storm'])
    for (let turn = 0; turn < 4; turn++) await endNext()
    expect(begun.slice(2)).to.deep.equal(['storm', 'calm', 'storm', 'calm'])
    for (let turn = 0; turn < 20; turn++) await endNext()
    expect(await Promise.all(all)).to.have.length(22)
  })

  it('refuses alerts over the limit of one organization without affecting others', async () => {
    const { gate, begun, enter, endNext } = heldStores({ maxStoring: 1, maxWaiting: 2 })
    const taken = [enter('storm'), enter('storm'), enter('storm')]
    const refused = await expectRejection(enter('storm'), 'RequestError', 'intake_full')
    expect(refused).to.have.deep.property('headers', { 'retry-after': '2' })
    expect(() => gate.admit({ scope: ['storm'] })).to.throw('wait to be stored')
    for (const scope of [['calm'], ['storm', 'calm'], 'all'] as const)
      expect(() => gate.admit({ scope }), String(scope)).not.to.throw()
    taken.push(enter('calm'))
    for (let turn = 0; turn < 4; turn++) await endNext()
    await Promise.all(taken)
    expect(begun).to.have.members(['storm', 'storm', 'storm', 'calm'])
    expect(() => gate.admit({ scope: ['storm'] })).not.to.throw()
  })

  it('continues after a store failure', async () => {
    const { begun, enter, endNext } = heldStores({ maxStoring: 1, maxWaiting: 2 })
    const failing = enter('a')
    const next = enter('a')
    const rejected = failing.catch((error: unknown) => error)
    await endNext(new Error('the disk is full'))
    expect(await rejected).to.have.property('message', 'the disk is full')
    expect(begun).to.have.length(2)
    await endNext()
    expect(await next).to.equal('a')
    const last = enter('a')
    expect(begun, 'its slot is free').to.have.length(3)
    await endNext()
    await last
  })

  describe('over HTTP', () => {
    let api: Api
    let held: (() => void)[]
    let mayStore = true
    const post = (code: string) =>
      api.call('POST', '/api/alerts', {
        body: { alert_content: '{}', alert_provider: 'SIEM', organization_code: code, alert_type: 't' },
      })

    before(async () => {
      api = await startApi({ limits: { maxStoring: 1, maxWaiting: 1 } })
      held = []
      const { alerts } = api.stores
      const receive = alerts.receive.bind(alerts)
      alerts.receive = async (...given): Promise<ReceivedAlert> => {
        if (!mayStore) throw new Error('stored all the same')
        await new Promise<void>((resolve) => held.push(resolve))
        return await receive(...given)
      }
    })
    after(() => api.close())
    const release = async (): Promise<void> => {
      await eventually('a store', () => held.length > 0 || undefined)
      held.shift()?.()
    }

    it('refuses early with Retry-After, for a single-organization key even before the body arrives', async () => {
      const first = post('acme')
      await eventually('one that is stored', () => held.length === 1 || undefined)
      const second = post('acme')
      const third = await eventually('a refusal', async () => {
        const reply = await Promise.race([second, post('acme')])
        return reply.status === 503 ? reply : undefined
      })
      expectProblem(third, 503, 'intake_full')
      expect(third.headers.get('retry-after')).to.equal('2')
      const key = await api.newKey('intake', ['acme'])
      const socket = connect(Number(new URL(api.url).port), '127.0.0.1')
      socket.write(
        `POST /api/alerts HTTP/1.1\r\nHost: x\r\nCookie: Session=${key}\r\nContent-Type: application/json\r\n` +
          'Content-Length: 500\r\n\r\n',
      )
      const [answer] = (await once(socket, 'data')) as [Buffer]
      expect(answer.toString()).to.include('503').and.include('intake_full')
      socket.destroy()
      const calm = post('globex')
      for (let stored = 0; stored < 3; stored++) await release()
      expect((await Promise.all([first, second, calm])).map(({ status }) => status)).to.deep.equal([
        201, 201, 201,
      ])
    })

    it('refuses an alert if the run queue is full by its turn', async () => {
      const first = post('acme')
      await eventually('one that is stored', () => held.length === 1 || undefined)
      let asked = 0
      api.investigations.accepting = () => ++asked < 2
      const second = post('acme')
      await eventually('the second one that waits', () => asked === 1 || undefined)
      const third = post('globex')
      expectProblem(await third, 503, 'investigations_full')
      mayStore = false
      await release()
      expect((await first).status).to.equal(201)
      expectProblem(await second, 503, 'investigations_full')
      api.investigations.accepting = () => true
    })
  })
})
