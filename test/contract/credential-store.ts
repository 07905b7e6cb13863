import { expect } from 'chai'
import type { Account } from '../../core/access/account.ts'
import type { NewPasskey } from '../../core/access/credentials.ts'
import { somebody } from '../support/somebody.ts'
import { expectRejection, unknownUuid, type GetSubject } from './fixture.ts'

const hashOf = (n: number) => new Uint8Array(32).fill(n)
const passkey: NewPasskey = {
  credentialId: 'abc',
  publicKey: Uint8Array.from([1, 2, 3]),
  counter: 0,
  transports: ['internal'],
  isBackedUp: true,
  name: 'Laptop',
}

export function credentialStoreContract(subject: GetSubject): void {
  describe('CredentialStore', () => {
    let account: Account

    beforeEach(async () => {
      const roles = [{ role: 'reader', organizationUuid: null }]
      account = await subject().stores.accounts.create(
        { email: 'a@example.com', name: 'Anna', roles },
        somebody(),
      )
    })

    const store = () => subject().stores.credentials
    const of = () => store().of(account.uuid)
    const begin = async (n: number) => {
      const holder = { accountUuid: account.uuid }
      const given = { holder, method: 'password', client: '', replaces: undefined } as const
      const limits = { idleMs: 1e9, maxMs: 1e9 }
      return await subject().stores.sessions.begin({ ...given, limits, tokenHash: hashOf(n) }, somebody())
    }

    it('keeps a password as a hash, and ends the other sessions when it changes', async () => {
      const { clock, stores } = subject()
      expect(await of()).to.deep.equal({
        passwordHash: null,
        passwordChangedAt: null,
        totp: null,
        recoveryCodes: 0,
        passkeys: [],
      })
      const kept = await begin(1)
      await begin(2)
      await store().setPassword(account.uuid, 'h1', kept.uuid, somebody())
      expect(await of()).to.include({ passwordHash: 'h1', passwordChangedAt: clock.nowMs })
      expect((await stores.sessions.ofAccount(account.uuid)).map(({ uuid }) => uuid)).to.deep.equal([
        kept.uuid,
      ])
      clock.nowMs += 5
      await store().rehash(account.uuid, 'h2')
      expect(await of()).to.include({ passwordHash: 'h2', passwordChangedAt: clock.nowMs - 5 })
      const unknown = store().setPassword(unknownUuid, 'h', undefined, somebody())
      await expectRejection(unknown, 'NotFoundError', 'account_not_found')
    })

    it('uses one-time codes once they are confirmed, and each time step once', async () => {
      const { clock } = subject()
      const early = store().confirmTotp(account.uuid, 1, [], somebody())
      await expectRejection(early, 'ConflictError', 'totp_not_offered')
      await store().offerTotp(account.uuid, 'FIRST')
      await store().offerTotp(account.uuid, 'SECOND')
      expect((await of()).totp).to.deep.equal({ secret: 'SECOND', confirmedAt: null, lastStep: 0 })
      await store().confirmTotp(account.uuid, 10, [hashOf(1), hashOf(2)], somebody())
      expect(await of()).to.deep.include({
        totp: { secret: 'SECOND', confirmedAt: clock.nowMs, lastStep: 10 },
        recoveryCodes: 2,
      })
      await expectRejection(store().offerTotp(account.uuid, 'X'), 'ConflictError', 'totp_exists')
      const again = store().confirmTotp(account.uuid, 11, [], somebody())
      await expectRejection(again, 'ConflictError', 'totp_exists')
      const steps = [10, 9, 11, 11, 12].map((step) => store().useTotp(account.uuid, step))
      expect(await Promise.all(steps)).to.deep.equal([false, false, true, false, true])
    })

    it('uses each recovery code once, and removes them with the one-time codes', async () => {
      const use = (n: number) => store().useRecoveryCode(account.uuid, hashOf(n), somebody())
      const none = store().setRecoveryCodes(account.uuid, [hashOf(1)], somebody())
      await expectRejection(none, 'ConflictError', 'totp_not_offered')
      await store().offerTotp(account.uuid, 'S')
      await store().confirmTotp(account.uuid, 1, [hashOf(1), hashOf(2)], somebody())
      expect(await Promise.all([use(1), use(1), use(3)])).to.deep.equal([true, false, false])
      await store().setRecoveryCodes(account.uuid, [hashOf(4)], somebody())
      expect([await use(2), await use(4)]).to.deep.equal([false, true])
      await store().removeTotp(account.uuid, somebody())
      expect(await of()).to.deep.include({ totp: null, recoveryCodes: 0 })
    })

    it('keeps passkeys, and refuses a use whose counter did not grow', async () => {
      const { clock } = subject()
      const added = await store().addPasskey(account.uuid, passkey, somebody())
      expect(added).to.deep.equal({ ...passkey, uuid: added.uuid, createdAt: clock.nowMs, lastUsedAt: null })
      expect((await of()).passkeys).to.deep.equal([added])
      expect(await store().findPasskey('abc')).to.deep.equal({ accountUuid: account.uuid, passkey: added })
      expect(await store().findPasskey('other')).to.equal(undefined)
      const twice = store().addPasskey(account.uuid, passkey, somebody())
      await expectRejection(twice, 'ConflictError', 'passkey_exists')
      clock.nowMs += 5
      const use = (counter: number) => store().usePasskey(added.uuid, { counter, isBackedUp: false })
      // An authenticator that does not count says 0 each time.
      expect([
        await use(0),
        await use(0),
        await use(5),
        await use(5),
        await use(0),
        await use(6),
      ]).to.deep.equal([true, true, true, false, false, true])
      expect((await of()).passkeys[0]).to.include({ counter: 6, isBackedUp: false, lastUsedAt: clock.nowMs })
      const foreign = store().removePasskey(account.uuid, unknownUuid, somebody())
      await expectRejection(foreign, 'NotFoundError', 'passkey_not_found')
      const foreignName = store().renamePasskey(account.uuid, unknownUuid, 'x', somebody())
      await expectRejection(foreignName, 'NotFoundError', 'passkey_not_found')
      await store().renamePasskey(account.uuid, added.uuid, 'Old laptop', somebody())
      expect((await of()).passkeys[0]).to.include({ name: 'Old laptop', counter: 6 })
      await store().removePasskey(account.uuid, added.uuid, somebody())
      expect((await of()).passkeys).to.deep.equal([])
    })

    it('limits passkeys per account', async () => {
      for (let n = 0; n < 20; n++)
        await store().addPasskey(account.uuid, { ...passkey, credentialId: `c${n}` }, somebody())
      const more = store().addPasskey(account.uuid, passkey, somebody())
      await expectRejection(more, 'ConflictError', 'too_many_passkeys')
    })

    it('records changes in the audit log, without secrets', async () => {
      await store().setPassword(account.uuid, 'h1', undefined, somebody())
      await store().offerTotp(account.uuid, 'CANARY')
      await store().confirmTotp(account.uuid, 1, [hashOf(1)], somebody())
      await store().useRecoveryCode(account.uuid, hashOf(1), somebody())
      await store().removeTotp(account.uuid, somebody())
      await store().addPasskey(account.uuid, passkey, somebody())
      const { data } = await subject().stores.audit.list('all', { subject: account.uuid }, { limit: 6 })
      expect(data.map(({ action }) => action)).to.deep.equal([
        'account.passkey_added',
        'account.totp_removed',
        'account.recovery_code_used',
        'account.totp_added',
        'account.password_changed',
        'account.created',
      ])
      expect(JSON.stringify(data)).to.not.include('CANARY').and.not.include('h1"')
    })
  })

  describe('InvitationStore', () => {
    const create = async (accountUuid: string | null, n = 1, forMs = 1_000) => {
      const { stores, clock } = subject()
      const given = { accountUuid, tokenHash: hashOf(n), expiresAt: clock.nowMs + forMs }
      return await stores.invitations.create(given, somebody())
    }
    const accept = (n: number, person?: { email: string; name: string }) =>
      subject().stores.invitations.accept(hashOf(n), { passwordHash: `h${n}`, person }, null)
    const anna = async () => {
      const roles = [{ role: 'reader', organizationUuid: null }]
      const { accounts } = subject().stores
      return await accounts.create({ email: 'a@example.com', name: 'Anna', roles }, somebody())
    }

    it('gives an account its password, once', async () => {
      const { stores, clock } = subject()
      const { uuid } = await anna()
      const invitation = await create(uuid)
      expect(await stores.invitations.find(hashOf(1))).to.deep.equal(invitation)
      expect(await stores.invitations.find(hashOf(2))).to.equal(undefined)
      const both = await Promise.allSettled([accept(1), accept(1)])
      expect(both.map(({ status }) => status)).to.deep.equal(['fulfilled', 'rejected'])
      expect(await stores.accounts.find(uuid)).to.include({ joinedAt: clock.nowMs })
      expect(await stores.credentials.of(uuid)).to.include({ passwordHash: 'h1' })
      expect(await stores.invitations.find(hashOf(1))).to.include({ usedAt: clock.nowMs })
      await expectRejection(accept(1), 'NotFoundError', 'invitation_not_found')
    })

    it('replaces every way to sign in, and ends the sessions', async () => {
      const { stores } = subject()
      const { uuid } = await anna()
      const { credentials } = stores
      await credentials.setPassword(uuid, 'old', undefined, somebody())
      await credentials.offerTotp(uuid, 'S')
      await credentials.confirmTotp(uuid, 1, [hashOf(1)], somebody())
      await credentials.addPasskey(uuid, passkey, somebody())
      const given = {
        holder: { accountUuid: uuid },
        method: 'password',
        client: '',
        replaces: undefined,
      } as const
      await stores.sessions.begin(
        { ...given, limits: { idleMs: 1e9, maxMs: 1e9 }, tokenHash: hashOf(9) },
        somebody(),
      )
      await create(uuid)
      expect(await credentials.of(uuid), 'not before it is used').to.include({ passwordHash: 'old' })
      await accept(1)
      expect(await credentials.of(uuid)).to.deep.include({
        passwordHash: 'h1',
        totp: null,
        recoveryCodes: 0,
        passkeys: [],
      })
      expect(await stores.sessions.ofAccount(uuid)).to.deep.equal([])
    })

    it('refuses expired and replaced invitations, and those of a disabled account', async () => {
      const { stores, clock } = subject()
      const { uuid } = await anna()
      await create(uuid, 1)
      await create(uuid, 2)
      await expectRejection(accept(1), 'NotFoundError', 'invitation_not_found')
      clock.nowMs += 1_000
      await expectRejection(accept(2), 'NotFoundError', 'invitation_not_found')
      await create(uuid, 3)
      await stores.accounts.disable(uuid, somebody())
      await expectRejection(accept(3), 'NotFoundError', 'invitation_not_found')
      expect(await stores.invitations.find(hashOf(3))).to.include({ usedAt: null })
      await expectRejection(create(unknownUuid), 'NotFoundError', 'account_not_found')
    })

    it('creates the account of the first administrator', async () => {
      const { stores } = subject()
      await create(null)
      await expectRejection(accept(1), 'NotFoundError', 'invitation_not_found')
      const account = await accept(1, { email: 'root@example.com', name: 'Root' })
      expect(account).to.deep.include({
        email: 'root@example.com',
        roles: [{ role: 'admin', organizationUuid: null }],
      })
      expect(await stores.credentials.of(account.uuid)).to.include({ passwordHash: 'h1' })
    })

    it('ends the invitation of the first administrator with the first account', async () => {
      const { stores } = subject()
      await create(null)
      await anna()
      expect(await stores.invitations.find(hashOf(1))).to.equal(undefined)
      const root = { email: 'root@example.com', name: 'Root' }
      await expectRejection(accept(1, root), 'NotFoundError', 'invitation_not_found')
    })
  })
}
