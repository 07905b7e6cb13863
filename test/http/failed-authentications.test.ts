import { expect } from 'chai'
import { useFakeTimers, type SinonFakeTimers } from 'sinon'
import type { NewAuditEntry } from '../../core/domain/audit.ts'
import { createFailedAuthentications } from '../../server/http/caller/failed-authentications.ts'
import { makeKey } from '../../server/access/keys.ts'
import { startApi, type Api } from './support/api.ts'

const quiet = { debug() {}, info() {}, warn() {}, error() {} }

describe('failed authentications', () => {
  describe('over the API', () => {
    let api: Api
    beforeEach(async () => {
      api = await startApi()
    })
    afterEach(() => api.close())

    const failures = async (key = api.adminKey) =>
      (await api.call('GET', '/api/audit?action=authentication.failed&sort=sequence', { key })).json.data

    it('are in the audit log with address, key and reason', async () => {
      const expired = await api.newKey('admin', undefined, api.clock.time + 1)
      const revoked = await api.newKey('reader')
      await api.call('DELETE', `/api/keys/${revoked.split('_')[1]}`)
      api.clock.time += 1
      const unknown = makeKey().value
      const wrong = `${api.adminKey.slice(0, -43)}${'A'.repeat(43)}`
      const given = [
        ['x', '', 'malformed'],
        [unknown, unknown.split('_')[1], 'unknown'],
        [wrong, wrong.split('_')[1], 'wrong'],
        [revoked, revoked.split('_')[1], 'revoked'],
        [expired, expired.split('_')[1], 'expired'],
      ] as const
      const requests: (string | null)[] = []
      for (const [key] of given) {
        const reply = await api.call('GET', '/api/alerts', { key })
        expect(reply.status).to.equal(401)
        requests.push(reply.headers.get('x-request-id'))
        await api.stores.probe()
      }
      const found = await failures()
      expect(
        found.map(({ actor, subject, details, request_id }: any) => [
          actor.kind,
          subject.id,
          details,
          request_id,
        ]),
      ).to.deep.equal(given.map(([, id, reason], at) => ['stranger', id, { reason, times: 1 }, requests[at]]))
      expect(found[0].actor.id).to.match(/127\.0\.0\.1$/)
      const text = JSON.stringify([found, api.logged])
      for (const [key] of given.slice(1)) expect(text).to.not.include(key.slice(-43))
    })

    it("of sign-ins are recorded too, and an organization admin sees those of the organization's keys", async () => {
      const key = await api.newKey('reader', ['globex'])
      const admin = await api.newKey('admin', ['globex'])
      const wrong = `${key.slice(0, -43)}${'A'.repeat(43)}`
      await api.call('POST', '/api/session', { key: null, body: { api_key: wrong } })
      await api.call('GET', '/api/alerts', { key: 'x' })
      await api.stores.probe()
      expect((await failures(admin)).map(({ subject }: any) => subject.id)).to.deep.equal([key.split('_')[1]])
      expect(await failures()).to.have.length(2)
    })

    it('are not recorded for a missing key or a missing permission', async () => {
      await api.call('GET', '/api/alerts', { key: null })
      await api.call('GET', '/api/keys', { key: await api.newKey('reader') })
      await api.stores.probe()
      expect(await failures()).to.deep.equal([])
    })
  })

  describe('in a flood', () => {
    let timers: SinonFakeTimers
    const recorded: NewAuditEntry[] = []
    const stores = {
      audit: { record: async (entry: NewAuditEntry) => void recorded.push(entry) },
      keys: { find: async () => undefined },
    }
    beforeEach(() => {
      timers = useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
      recorded.length = 0
    })
    afterEach(() => timers.restore())

    const failed = (value: string, address = '192.0.2.1') => ({ value, address, requestId: 'r' })
    const told = () =>
      recorded.map(({ by, subject, details }) => [by.id, subject.id, details?.['times'], by.requestId])

    it('from one address are recorded twice in ten minutes: the first, and the number of others', async () => {
      const subject = createFailedAuthentications(stores, quiet)
      for (let n = 0; n < 1_000; n++) subject.record(failed('x'), n)
      await timers.tickAsync(599_999)
      expect(told()).to.deep.equal([['192.0.2.1', '', 1, 'r']])
      await timers.tickAsync(1)
      expect(told()).to.deep.equal([
        ['192.0.2.1', '', 1, 'r'],
        ['192.0.2.1', '', 999, null],
      ])
      subject.record(failed('x'), 0)
      await timers.tickAsync(600_000)
      expect(recorded).to.have.length(3)
    })

    it('from many addresses or for many keys are counted together', async () => {
      const subject = createFailedAuthentications(stores, quiet)
      for (let n = 0; n < 500; n++) {
        subject.record(failed('x', `192.0.2.${n}`), n)
        subject.record(failed(makeKey().value), n)
      }
      await timers.tickAsync(600_000)
      expect(recorded.length).to.be.within(20, 90)
      const times = recorded.map(({ details }) => Number(details?.['times']))
      expect(times.reduce((sum, n) => sum + n, 0)).to.equal(1_000)
      expect(told().map(([sender]) => sender)).to.include('many addresses')
    })

    it('with unknown keys do not hide a guess at an existing key or its organization', async () => {
      const { id, value } = makeKey()
      const keys = {
        find: async (wanted: string) =>
          wanted === id
            ? {
                key: { organizationUuids: ['org'], revokedAt: null, expiresAt: null } as any,
                secretHash: new Uint8Array(32),
                previous: null,
              }
            : undefined,
      }
      const subject = createFailedAuthentications({ ...stores, keys }, quiet)
      for (let n = 0; n < 1_000; n++) subject.record(failed(makeKey().value, `192.0.2.${n % 250}`), n)
      for (let n = 0; n < 300; n++) subject.record(failed(value, `198.51.100.${n}`), n)
      await timers.tickAsync(600_000)
      const guesses = recorded.filter(({ subject: { id: keyId } }) => keyId === id)
      expect(guesses[0]).to.deep.include({
        organizationUuid: 'org',
        by: { kind: 'stranger', id: '198.51.100.0', name: '198.51.100.0', requestId: 'r' },
      })
      const sum = (entries: readonly NewAuditEntry[]) =>
        entries.reduce((total, { details }) => total + Number(details?.['times']), 0)
      expect(sum(guesses)).to.equal(300)
      expect(sum(recorded)).to.equal(1_300)
      expect(guesses.every(({ organizationUuid }) => organizationUuid === 'org')).to.equal(true)
      expect(recorded.length, 'bounded').to.be.below(600)
    })

    it('from one address do not hide other addresses', async () => {
      const subject = createFailedAuthentications(stores, quiet)
      for (let n = 0; n < 1_000; n++) subject.record(failed(makeKey().value), n)
      const other = makeKey().value
      subject.record(failed(other, '198.51.100.7'), 0)
      await timers.tickAsync(600_000)
      expect(told()).to.deep.include(['198.51.100.7', other.split('_')[1], 1, 'r'])
      expect(recorded.length).to.be.below(30)
    })

    it('are not lost when the server closes', async () => {
      const subject = createFailedAuthentications(stores, quiet)
      for (let n = 0; n < 5; n++) subject.record(failed('x'), n)
      await subject.flush()
      expect(told().map(([, , times]) => times)).to.deep.equal([1, 4])
    })
  })
})
