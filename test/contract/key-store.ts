import { expect } from 'chai'
import type { Actor } from '../../core/domain/audit.ts'
import type { NewApiKey } from '../../core/ports/access/key-store.ts'
import { expectRejection, unknownUuid, uuidPattern, type GetSubject } from './fixture.ts'
import { somebody } from '../support/somebody.ts'

const secretHash = Uint8Array.from({ length: 32 }, (_, index) => 255 - index)

function newKey(changes: Partial<NewApiKey> = {}): NewApiKey {
  return {
    id: 'k1',
    name: 'Ops',
    role: 'admin',
    organizationUuids: null,
    secretHash,
    expiresAt: null,
    ...changes,
  }
}

export function keyStoreContract(subject: GetSubject): void {
  describe('KeyStore', () => {
    it('finds a key by its public id, with the hash', async () => {
      const { stores, clock } = subject()
      const key = await stores.keys.create(newKey({ expiresAt: clock.nowMs + 1 }), somebody())
      expect(key.uuid).to.match(uuidPattern)
      expect(key).to.deep.include({ id: 'k1', name: 'Ops', role: 'admin', organizationUuids: null })
      expect(key).to.include({
        createdAt: clock.nowMs,
        expiresAt: clock.nowMs + 1,
        revokedAt: null,
        lastUsedAt: null,
      })
      const found = await stores.keys.find('k1')
      expect(found?.key).to.deep.equal(key)
      expect([...(found?.secretHash ?? [])]).to.deep.equal([...secretHash])
      expect(await stores.keys.find('K1')).to.equal(undefined)
    })

    it('creates a first administrator key only while none is usable, also of two at once', async () => {
      const { stores, clock } = subject()
      await stores.keys.create(newKey({ id: 'old', expiresAt: clock.nowMs }), somebody())
      await stores.keys.create(newKey({ id: 'reader', role: 'reader' }), somebody())
      const made = await Promise.all(
        ['one', 'other'].map((id) => stores.keys.createFirst(newKey({ id }), somebody())),
      )
      expect(made.filter((key) => key !== undefined).map(({ id }) => id)).to.have.length(1)
      expect(await stores.keys.createFirst(newKey({ id: 'third' }), somebody())).to.equal(undefined)
      expect(await stores.keys.list()).to.have.length(3)
    })

    it('distinguishes a key for all organizations from one for none', async () => {
      const { stores, acme, globex } = subject()
      await stores.keys.create(newKey({ id: 'all' }), somebody())
      await stores.keys.create(newKey({ id: 'none', organizationUuids: [] }), somebody())
      await stores.keys.create(
        newKey({ id: 'two', organizationUuids: [acme.uuid, globex.uuid, acme.uuid] }),
        somebody(),
      )
      const scopes = (await stores.keys.list()).map(({ organizationUuids }) => organizationUuids)
      expect(scopes[0]).to.equal(null)
      expect(scopes[1]).to.deep.equal([])
      expect(scopes[2]).to.have.members([acme.uuid, globex.uuid])
    })

    it('lists keys, and rolls back one that names an unknown organization', async () => {
      const { stores, acme } = subject()
      expect(await stores.keys.list()).to.have.length(0)
      const half = stores.keys.create(newKey({ organizationUuids: [acme.uuid, unknownUuid] }), somebody())
      await expectRejection(half, 'NotFoundError', 'organization_not_found')
      expect(await stores.keys.list()).to.have.length(0)
      await stores.keys.create(newKey(), somebody())
      expect(await stores.keys.list()).to.have.length(1)
    })

    it('revokes a key once and for good and keeps it in the list', async () => {
      const { stores, clock } = subject()
      await stores.keys.create(newKey(), somebody())
      await stores.keys.create(newKey({ id: 'k2', role: 'intake' }), somebody())
      clock.nowMs += 5
      const revoked = await stores.keys.revoke('k2', somebody())
      expect(revoked).to.include({ id: 'k2', revokedAt: clock.nowMs })
      clock.nowMs += 5
      expect(await stores.keys.revoke('k2', somebody())).to.deep.equal(revoked)
      expect((await stores.keys.list()).map(({ revokedAt }) => revokedAt)).to.deep.equal([
        null,
        revoked.revokedAt,
      ])
      expect((await stores.keys.find('k2'))?.key).to.deep.equal(revoked)
      await expectRejection(stores.keys.revoke('k3', somebody()), 'NotFoundError', 'key_not_found')
    })

    it('keeps the last usable admin key', async () => {
      const { stores, clock, acme } = subject()
      await stores.keys.create(newKey({ id: 'last' }), somebody())
      await stores.keys.create(newKey({ id: 'scoped', organizationUuids: [acme.uuid] }), somebody())
      await stores.keys.create(newKey({ id: 'expired', expiresAt: clock.nowMs }), somebody())
      await stores.keys.create(newKey({ id: 'analyst', role: 'analyst' }), somebody())
      const error = await expectRejection(
        stores.keys.revoke('last', somebody()),
        'ConflictError',
        'last_admin_key',
      )
      expect(error.hint).to.include('create another')
      for (const id of ['scoped', 'expired', 'analyst']) await stores.keys.revoke(id, somebody())
      await stores.keys.create(newKey({ id: 'next' }), somebody())
      const both = await Promise.allSettled(['last', 'next'].map((id) => stores.keys.revoke(id, somebody())))
      expect(both.map(({ status }) => status)).to.deep.equal(['fulfilled', 'rejected'])
    })

    it('records the last use of a key, and keeps what is cached', async () => {
      const { stores, clock } = subject()
      await stores.keys.create(newKey(), somebody())
      const cached = await stores.keys.find('k1')
      await stores.keys.recordUse('k1', clock.nowMs + 7)
      const [key] = await stores.keys.list()
      expect(key?.lastUsedAt).to.equal(clock.nowMs + 7)
      expect(await stores.keys.find('k1')).to.equal(cached)
      await stores.keys.recordUse('nobody', 1)
    })

    it('replaces the secret of a key, and keeps the earlier one for a time', async () => {
      const { stores, clock } = subject()
      await stores.keys.create(newKey(), somebody())
      expect((await stores.keys.find('k1'))?.previous).to.equal(null)
      const next = new Uint8Array(32).fill(7)
      const rotated = await stores.keys.rotate(
        'k1',
        { secretHash: next, previousUntil: clock.nowMs + 5 },
        somebody(),
      )
      expect(rotated).to.include({ id: 'k1', rotatedAt: clock.nowMs })
      const found = await stores.keys.find('k1')
      expect(found?.secretHash).to.deep.equal(next)
      expect(found?.previous).to.deep.equal({ secretHash, until: clock.nowMs + 5 })
      await stores.keys.create(newKey({ id: 'k2', role: 'intake' }), somebody())
      await stores.keys.revoke('k2', somebody())
      const refused = (id: string) =>
        stores.keys.rotate(id, { secretHash: next, previousUntil: 0 }, somebody())
      await expectRejection(refused('k2'), 'ConflictError', 'key_revoked')
      await expectRejection(refused('k3'), 'NotFoundError', 'key_not_found')
    })

    it('renews a key with a new secret, and never ends it earlier', async () => {
      const { stores, clock } = subject()
      await stores.keys.create(newKey({ expiresAt: clock.nowMs + 5 }), somebody())
      const renew = (expiresAt?: number | null) =>
        stores.keys.rotate('k1', { secretHash, previousUntil: 0, expiresAt }, somebody())
      expect(await renew()).to.include({ expiresAt: clock.nowMs + 5 })
      expect(await renew(clock.nowMs + 9)).to.include({ expiresAt: clock.nowMs + 9 })
      await expectRejection(renew(clock.nowMs + 8), 'ConflictError', 'key_end_earlier')
      expect(await renew(null)).to.include({ expiresAt: null })
      await expectRejection(renew(clock.nowMs + 99), 'ConflictError', 'key_end_earlier')
    })

    it('records who knows a secret: its creator, then whoever replaced it', async () => {
      const { stores, clock } = subject()
      const known = async (by: Partial<Actor>, until: number) =>
        (await stores.keys.rotate('k1', { secretHash, previousUntil: until }, { ...somebody(), ...by }))
          .secretKnownBy
      const { kind, id } = somebody()
      const made = await stores.keys.create(newKey(), somebody())
      expect(made.secretKnownBy).to.deep.equal([{ kind, id }])
      const anna = { kind: 'account', id: 'anna' } as const
      const bo = { kind: 'account', id: 'bo' } as const
      expect(await known(anna, clock.nowMs + 5)).to.deep.equal([{ kind, id }, anna])
      expect(await known(bo, clock.nowMs)).to.deep.equal([bo])
      expect(await known(bo, clock.nowMs + 5)).to.deep.equal([bo])
      expect(await known({ kind: 'api_key', id: 'k1' }, clock.nowMs)).to.deep.equal([
        bo,
        { kind: 'api_key', id: 'k1' },
      ])
      expect((await stores.keys.find('k1'))?.key.secretKnownBy).to.have.length(2)
    })

    it('lists owners and holders of secrets as they were before a time', async () => {
      const { stores, clock } = subject()
      const { kind, id } = somebody()
      const anna = await stores.accounts.create(
        { email: 'ann@example.com', name: 'Ann', roles: [] },
        somebody(),
      )
      const begin = clock.nowMs
      await stores.keys.create(newKey(), somebody())
      clock.nowMs += 10
      await stores.keys.change('k1', { ownerUuid: anna.uuid }, undefined, somebody())
      clock.nowMs += 10
      const bo = { kind: 'account', id: 'bo' } as const
      await stores.keys.rotate('k1', { secretHash, previousUntil: clock.nowMs }, { ...somebody(), ...bo })
      const before = async (at: number) => {
        const key = (await stores.keys.listBefore(begin + at)).find((each) => each.id === 'k1')
        return [key?.ownerUuid, key?.secretKnownBy]
      }
      const creator = [{ kind, id }]
      expect(await before(0), 'a later key').to.deep.equal([null, creator])
      expect(await before(10)).to.deep.equal([null, creator])
      expect(await before(11)).to.deep.equal([anna.uuid, creator])
      expect(await before(20)).to.deep.equal([anna.uuid, creator])
      expect(await before(21)).to.deep.equal([anna.uuid, [bo]])
    })

    it('has an owner, whose disabled account shows, and addresses', async () => {
      const { stores } = subject()
      const roles = [{ role: 'reader', organizationUuid: null }]
      const anna = await stores.accounts.create({ email: 'a@example.com', name: 'Anna', roles }, somebody())
      const made = await stores.keys.create(newKey({ ownerUuid: anna.uuid }), somebody())
      expect(made).to.include({ ownerUuid: anna.uuid, isOwnerDisabled: false, allowedAddresses: null })
      await stores.accounts.disable(anna.uuid, somebody())
      expect((await stores.keys.find('k1'))?.key.isOwnerDisabled).to.equal(true)
      const changes = { ownerUuid: null, allowedAddresses: ['10.0.0.0/8'] }
      const changed = await stores.keys.change('k1', changes, 1, somebody())
      expect(changed).to.deep.include({ ...changes, isOwnerDisabled: false, revision: 2 })
      const stale = stores.keys.change('k1', { allowedAddresses: null }, 1, somebody())
      await expectRejection(stale, 'ConflictError', 'revision_changed')
      const unknown = stores.keys.change('k1', { ownerUuid: unknownUuid }, 2, somebody())
      await expectRejection(unknown, 'NotFoundError', 'account_not_found')
    })

    it('refuses a duplicate public id', async () => {
      const { stores } = subject()
      await stores.keys.create(newKey(), somebody())
      await expectRejection(stores.keys.create(newKey(), somebody()), 'ConflictError', 'key_exists')
    })
  })
}
