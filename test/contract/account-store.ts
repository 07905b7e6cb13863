import { expect } from 'chai'
import type { NewAccount } from '../../core/ports/access/account-store.ts'
import { somebody, someAuthor } from '../support/somebody.ts'
import { expectRejection, unknownUuid, uuidPattern, type GetSubject } from './fixture.ts'

const anna: NewAccount = {
  email: 'Anna@Example.com',
  name: 'Anna',
  roles: [{ role: 'admin', organizationUuid: null }],
}

export function accountStoreContract(subject: GetSubject): void {
  describe('AccountStore', () => {
    const create = (changes: Partial<NewAccount> = {}) =>
      subject().stores.accounts.create({ ...anna, ...changes }, somebody())

    it('finds an account by uuid and by e-mail address in any letter case', async () => {
      const { stores, clock, acme } = subject()
      const roles = [
        { role: 'analyst', organizationUuid: acme.uuid },
        { role: 'reader', organizationUuid: null },
      ]
      const account = await create({ roles })
      expect(account.uuid).to.match(uuidPattern)
      expect(account).to.deep.equal({
        ...anna,
        roles,
        uuid: account.uuid,
        createdAt: clock.nowMs,
        createdBy: someAuthor(),
        joinedAt: null,
        disabledAt: null,
        lastUsedAt: null,
        revision: 1,
      })
      expect(await stores.accounts.find(account.uuid)).to.deep.equal(account)
      expect(await stores.accounts.byEmail(' anna@example.COM ')).to.deep.equal(account)
      expect(await stores.accounts.find(unknownUuid)).to.equal(undefined)
      expect(await stores.accounts.byEmail('bert@example.com')).to.equal(undefined)
      expect(await stores.accounts.list()).to.deep.equal([account])
    })

    it('refuses a second account with the same address, and unknown organizations, without a trace', async () => {
      const { stores } = subject()
      const first = await create()
      const before = await stores.audit.head()
      await expectRejection(create({ email: 'ANNA@example.com' }), 'ConflictError', 'account_exists')
      const roles = [{ role: 'reader', organizationUuid: unknownUuid }]
      const nowhere = create({ email: 'b@example.com', roles })
      await expectRejection(nowhere, 'NotFoundError', 'organization_not_found')
      const other = await create({ email: 'c@example.com' })
      const taken = stores.accounts.change(other.uuid, { email: 'anna@example.com' }, undefined, somebody())
      await expectRejection(taken, 'ConflictError', 'account_exists')
      expect((await stores.accounts.list()).map(({ uuid }) => uuid)).to.deep.equal([first.uuid, other.uuid])
      expect((await stores.audit.head())?.sequence).to.equal((before?.sequence ?? 0) + 1)
    })

    it('changes name and roles, and counts revisions', async () => {
      const { stores, globex } = subject()
      const { uuid } = await create()
      const roles = [{ role: 'reader', organizationUuid: globex.uuid }]
      const changed = await stores.accounts.change(uuid, { name: 'Anne', roles }, 1, somebody())
      expect(changed).to.deep.include({ name: 'Anne', roles, revision: 2, email: anna.email })
      expect(await stores.accounts.find(uuid)).to.deep.equal(changed)
      const again = stores.accounts.change(uuid, { name: 'x' }, 1, somebody())
      await expectRejection(again, 'ConflictError', 'revision_changed')
      const unknown = stores.accounts.change(unknownUuid, { name: 'x' }, undefined, somebody())
      await expectRejection(unknown, 'NotFoundError', 'account_not_found')
    })

    it('disables an account with its sessions in one write, and enables it again', async () => {
      const { stores, clock } = subject()
      const { uuid } = await create()
      const other = await create({ email: 'bert@example.com' })
      const hashOf = (n: number) => new Uint8Array(32).fill(n)
      const begin = (n: number, accountUuid: string) =>
        stores.sessions.begin(
          {
            tokenHash: hashOf(n),
            holder: { accountUuid },
            method: 'password',
            client: 'Firefox',
            replaces: undefined,
            limits: { idleMs: 1e9, maxMs: 1e9 },
          },
          somebody(),
        )
      const session = await begin(1, uuid)
      await begin(2, uuid)
      await begin(3, other.uuid)
      expect(session).to.deep.include({ method: 'password', client: 'Firefox' })
      expect(session.holder).to.deep.equal({ account: await stores.accounts.find(uuid) })
      const disabled = await stores.accounts.disable(uuid, somebody())
      expect(disabled.disabledAt).to.equal(clock.nowMs)
      expect(await stores.accounts.find(uuid)).to.deep.equal(disabled)
      const found = await Promise.all([1, 2, 3].map((n) => stores.sessions.find(hashOf(n))))
      expect(found.map(Boolean)).to.deep.equal([false, false, true])
      clock.nowMs += 5
      expect(await stores.accounts.disable(uuid, somebody())).to.deep.equal(disabled)
      expect(await stores.accounts.enable(uuid, somebody())).to.include({ disabledAt: null })
      const { data } = await stores.audit.list('all', { subject: uuid }, { limit: 5 })
      expect(data.map(({ action }) => action)).to.deep.equal([
        'account.enabled',
        'account.disabled',
        'account.created',
      ])
    })

    it('ends all sessions of an account but one', async () => {
      const { stores } = subject()
      const { uuid } = await create()
      const limits = { idleMs: 1e9, maxMs: 1e9 }
      const given = {
        holder: { accountUuid: uuid },
        method: 'passkey',
        client: '',
        replaces: undefined,
      } as const
      const sessions = []
      for (const n of [1, 2, 3])
        sessions.push(
          await stores.sessions.begin(
            { ...given, limits, tokenHash: new Uint8Array(32).fill(n) },
            somebody(),
          ),
        )
      const uuids = sessions.map((session) => session.uuid).toReversed()
      expect((await stores.sessions.ofAccount(uuid)).map((each) => each.uuid)).to.deep.equal(uuids)
      expect(await stores.sessions.endOthers(uuid, uuids[1], somebody())).to.equal(2)
      expect((await stores.sessions.ofAccount(uuid)).map((each) => each.uuid)).to.deep.equal([uuids[1]])
      const unknown = stores.sessions.begin(
        { ...given, holder: { accountUuid: unknownUuid }, limits, tokenHash: new Uint8Array(32) },
        somebody(),
      )
      await expectRejection(unknown, 'NotFoundError', 'account_not_found')
    })

    it('keeps the last administrator, who may be a person or a key', async () => {
      const { stores } = subject()
      const last = await create()
      const other = await create({ email: 'bert@example.com' })
      // Invited people cannot administer yet.
      await stores.accounts.disable(other.uuid, somebody())
      await stores.accounts.enable(other.uuid, somebody())
      await stores.accounts.join(last.uuid, somebody())
      const roles = [{ role: 'reader', organizationUuid: null }]
      const attempts = [
        () => stores.accounts.disable(last.uuid, somebody()),
        () => stores.accounts.change(last.uuid, { roles }, undefined, somebody()),
      ]
      for (const attempt of attempts) await expectRejection(attempt(), 'ConflictError', 'last_admin_account')
      const key = { id: 'k1', name: 'k', role: 'admin', organizationUuids: null, expiresAt: null } as const
      await stores.keys.create({ ...key, secretHash: new Uint8Array(32) }, somebody())
      // A person is left who can create keys.
      await stores.keys.revoke('k1', somebody())
      await stores.accounts.join(other.uuid, somebody())
      await stores.accounts.disable(last.uuid, somebody())
      const rest = stores.accounts.disable(other.uuid, somebody())
      await expectRejection(rest, 'ConflictError', 'last_admin_account')
    })

    it('records when a person joined and last used the account', async () => {
      const { stores, clock } = subject()
      const { uuid } = await create()
      const joined = await stores.accounts.join(uuid, somebody())
      expect(joined.joinedAt).to.equal(clock.nowMs)
      clock.nowMs += 5
      expect(await stores.accounts.join(uuid, somebody())).to.deep.equal(joined)
      await stores.accounts.recordUse(uuid, clock.nowMs)
      expect((await stores.accounts.find(uuid))?.lastUsedAt).to.equal(clock.nowMs)
    })
  })
}
