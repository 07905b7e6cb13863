import { expect } from 'chai'
import type { NewSession } from '../../core/ports/access/session-store.ts'
import { somebody } from '../support/somebody.ts'
import { expectRejection, unknownUuid, uuidPattern, type GetSubject } from './fixture.ts'

const limits = { idleMs: 1_000, maxMs: 5_000 }
const hashOf = (n: number) => Uint8Array.from({ length: 32 }, (_, index) => (n + index) % 256)

export function sessionStoreContract(subject: GetSubject): void {
  describe('SessionStore', () => {
    beforeEach(async () => {
      for (const id of ['k1', 'k2']) {
        const key = { id, name: id, role: 'admin', organizationUuids: null, secretHash: hashOf(0) } as const
        await subject().stores.keys.create({ ...key, expiresAt: null }, somebody())
      }
    })

    const begin = (n: number, changes: Partial<NewSession> = {}) =>
      subject().stores.sessions.begin(
        {
          tokenHash: hashOf(n),
          holder: { keyId: 'k1' },
          method: 'api_key',
          client: '',
          replaces: undefined,
          limits,
          ...changes,
        },
        somebody(),
      )
    const find = (n: number) => subject().stores.sessions.find(hashOf(n))

    it('finds a session by its token hash, with the current key', async () => {
      const { stores, clock } = subject()
      const session = await begin(1)
      expect(session.uuid).to.match(uuidPattern)
      expect(session).to.include({ createdAt: clock.nowMs, lastUsedAt: clock.nowMs })
      expect(await find(1)).to.deep.equal(session)
      expect(await stores.sessions.byUuid(session.uuid)).to.deep.equal(session)
      expect(await stores.sessions.byUuid(unknownUuid)).to.equal(undefined)
      expect(await find(2)).to.equal(undefined)
      await stores.keys.revoke('k1', somebody())
      expect((await find(1))?.holder).to.have.nested.property('key.revokedAt', clock.nowMs)
      await expectRejection(begin(3, { holder: { keyId: 'none' } }), 'NotFoundError', 'key_not_found')
    })

    it('records the last use and deletes an ended session', async () => {
      const { stores, clock } = subject()
      const { uuid } = await begin(1)
      await stores.sessions.recordUse(uuid, clock.nowMs + 7)
      expect((await find(1))?.lastUsedAt).to.equal(clock.nowMs + 7)
      await stores.sessions.end(uuid, somebody())
      expect(await find(1)).to.equal(undefined)
      await stores.sessions.end(uuid, somebody())
    })

    it('ends only the session that a new one replaces', async () => {
      await begin(1)
      await begin(2)
      await begin(3, { replaces: hashOf(1) })
      expect(await Promise.all([1, 2, 3].map(find)).then((found) => found.map(Boolean))).to.deep.equal([
        false,
        true,
        true,
      ])
    })

    it('deletes idle, expired and keyless sessions when a new one starts', async () => {
      const { stores, clock } = subject()
      const { uuid } = await begin(1)
      await begin(2, { holder: { keyId: 'k2' } })
      clock.nowMs += limits.idleMs - 1
      await begin(3)
      expect(await find(1)).to.include({ uuid })
      await stores.keys.revoke('k2', somebody())
      await begin(4)
      expect([(await find(1))?.uuid, await find(2)]).to.deep.equal([uuid, undefined])
      clock.nowMs += 1
      await begin(5)
      expect(await find(1)).to.equal(undefined)
      const old = (await find(3))?.uuid ?? ''
      clock.nowMs += limits.maxMs - 1
      await stores.sessions.recordUse(old, clock.nowMs)
      await begin(6)
      expect(await find(3)).to.equal(undefined)
    })

    it('keeps the newest hundred sessions of a key', async () => {
      await begin(200, { holder: { keyId: 'k2' } })
      for (let n = 0; n < 101; n++) await begin(n)
      expect(await find(0)).to.equal(undefined)
      expect(await find(1)).to.not.equal(undefined)
      expect(await find(200)).to.not.equal(undefined)
    })

    it('is recorded in the audit log at its start and end', async () => {
      const { stores } = subject()
      const { uuid } = await begin(1)
      const next = await begin(2, { replaces: hashOf(1) })
      await stores.sessions.end(next.uuid, somebody())
      const { data } = await stores.audit.list('all', {}, { limit: 4 })
      expect(data.map(({ action, subject: about }) => [action, about.id])).to.deep.equal([
        ['session.ended', next.uuid],
        ['session.started', next.uuid],
        ['session.ended', uuid],
        ['session.started', uuid],
      ])
      expect(data[0]?.details).to.deep.equal({ key_id: 'k1' })
    })
  })
}
