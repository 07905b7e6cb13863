import { expect } from 'chai'
import { somebody } from '../support/somebody.ts'
import { expectRejection, unknownUuid, type GetSubject } from './fixture.ts'

const anna = { issuer: 'https://login.example', subject: 'a-1' }
const bert = { issuer: 'https://login.example', subject: 'b-1' }
const limits = { idleMs: 1e9, maxMs: 1e9 }

const hashOf = (n: number) => Uint8Array.from({ length: 32 }, (_, index) => (n + index) % 256)

export function singleSignOnStoreContract(subject: GetSubject): void {
  describe('SingleSignOnStore', () => {
    const begin = async (n: number, lastsMs = 1_000) => {
      const { stores, clock } = subject()
      const attempt = {
        state: `s${n}`,
        nonce: 'n',
        verifier: 'v',
        returnTo: '/cases',
        expiresAt: clock.nowMs + lastsMs,
      }
      await stores.singleSignOn.begin({ ...attempt, browserHash: hashOf(n) })
      return attempt
    }
    const take = (n: number) => subject().stores.singleSignOn.take(hashOf(n))

    it('gives an attempt to its browser once', async () => {
      const [first] = [await begin(1), await begin(2)]
      expect(await take(3)).to.equal(undefined)
      expect(await take(1)).to.deep.equal(first)
      expect(await take(1)).to.equal(undefined)
      expect((await take(2))?.state).to.equal('s2')
    })

    it('gives an attempt to one of two takers', async () => {
      await begin(1)
      const taken = await Promise.all([take(1), take(1), take(1)])
      expect(taken.filter((attempt) => attempt !== undefined)).to.have.length(1)
    })

    it('gives no attempt that has expired', async () => {
      await begin(1)
      subject().clock.nowMs += 1_000
      expect(await take(1)).to.equal(undefined)
    })

    it('gives a claim once until it ends or is released', async () => {
      const { stores, clock } = subject()
      const claim = (n: number) => stores.singleSignOn.claim(hashOf(n), clock.nowMs + 1_000)
      expect(await Promise.all([claim(1), claim(1)])).to.have.members([true, false])
      expect(await claim(2)).to.equal(true)
      expect(await claim(1)).to.equal(false)
      await stores.singleSignOn.release(hashOf(1))
      expect(await claim(1)).to.equal(true)
      clock.nowMs += 1_001
      expect(await claim(2)).to.equal(true)
    })

    const create = (identity = anna, email = 'anna@example.com') =>
      subject().stores.singleSignOn.createAccount(identity, { email, name: 'Anna', roles: [] }, somebody())
    const invite = (email = 'anna@example.com') =>
      subject().stores.accounts.create({ email, name: 'Anna', roles: [] }, somebody())

    it('finds the account of an identity by issuer and subject', async () => {
      const { singleSignOn } = subject().stores
      expect(await singleSignOn.accountOf(anna)).to.equal(undefined)
      const account = await create()
      expect(account.joinedAt).to.equal(subject().clock.nowMs)
      expect(await singleSignOn.accountOf(anna)).to.deep.equal(account)
      for (const other of [bert, { ...anna, issuer: 'https://other.example' }, { ...anna, subject: 'A-1' }])
        expect(await singleSignOn.accountOf(other)).to.equal(undefined)
      expect(await singleSignOn.isOfIssuer(account.uuid, anna.issuer)).to.equal(true)
      expect(await singleSignOn.isOfIssuer(account.uuid, 'https://other.example')).to.equal(false)
      await expectRejection(create(bert), 'ConflictError', 'account_exists')
      await expectRejection(create(anna, 'x@example.com'), 'ConflictError', 'identity_linked')
      expect(await subject().stores.accounts.list()).to.have.length(1)
    })

    it('links an identity to an invited account, and to no other', async () => {
      const { singleSignOn, accounts } = subject().stores
      const { uuid } = await invite()
      const linked = await singleSignOn.linkInvited(anna, uuid, somebody())
      expect(linked).to.include({ uuid, joinedAt: subject().clock.nowMs })
      await expectRejection(
        singleSignOn.linkInvited(bert, uuid, somebody()),
        'ConflictError',
        'account_not_invited',
      )
      const { uuid: another } = await invite('bert@example.com')
      await expectRejection(
        singleSignOn.linkInvited(anna, another, somebody()),
        'ConflictError',
        'identity_linked',
      )
      await accounts.disable(another, somebody())
      await expectRejection(
        singleSignOn.linkInvited(bert, another, somebody()),
        'ConflictError',
        'account_not_invited',
      )
      const unknown = singleSignOn.linkInvited(bert, unknownUuid, somebody())
      await expectRejection(unknown, 'NotFoundError', 'account_not_found')
    })

    it('links an identity to an account in use with an open invitation, and uses that up', async () => {
      const { stores, clock } = subject()
      const { singleSignOn, accounts, invitations } = stores
      const { uuid } = await invite()
      await accounts.join(uuid, somebody())
      const invitation = { accountUuid: uuid, tokenHash: hashOf(7), expiresAt: clock.nowMs + 1_000 }
      await invitations.create(invitation, somebody())
      clock.nowMs += 1_000
      await expectRejection(
        singleSignOn.linkInvited(anna, uuid, somebody()),
        'ConflictError',
        'account_not_invited',
      )
      await invitations.create({ ...invitation, expiresAt: clock.nowMs + 1_000 }, somebody())
      expect((await singleSignOn.linkInvited(anna, uuid, somebody())).uuid).to.equal(uuid)
      expect((await invitations.find(hashOf(7)))?.usedAt).to.equal(clock.nowMs)
      await expectRejection(
        singleSignOn.linkInvited(bert, uuid, somebody()),
        'ConflictError',
        'account_not_invited',
      )
    })

    const session = async (n: number, accountUuid: string, sessionId: string | null = null, of = anna) => {
      const { stores, clock } = subject()
      const holder = { accountUuid }
      const given = {
        tokenHash: hashOf(n),
        holder,
        method: 'oidc',
        client: '',
        replaces: undefined,
        limits,
      } as const
      const { uuid } = await stores.sessions.begin(given, somebody())
      const tokens = { sealedTokens: Uint8Array.of(n), isRenewable: true, checkedAt: clock.nowMs }
      await stores.singleSignOn.attach(uuid, { ...of, ...tokens, sessionId })
      return uuid
    }

    it('keeps the provider session of a session until the session ends', async () => {
      const { singleSignOn, sessions } = subject().stores
      const uuid = await session(1, (await create()).uuid)
      const found = await singleSignOn.providerSession(uuid)
      expect({ ...found, sealedTokens: [...found!.sealedTokens] }).to.deep.equal({
        ...anna,
        sealedTokens: [1],
        isRenewable: true,
        checkedAt: subject().clock.nowMs,
      })
      await singleSignOn.confirm(uuid, { sealedTokens: Uint8Array.of(9), isRenewable: false, checkedAt: 7 })
      expect(await singleSignOn.providerSession(uuid)).to.include({ isRenewable: false, checkedAt: 7 })
      await sessions.end(uuid, somebody())
      expect(await singleSignOn.providerSession(uuid)).to.equal(undefined)
      await singleSignOn.attach(uuid, { ...anna, ...found!, sessionId: null })
      expect(await singleSignOn.providerSession(uuid)).to.equal(undefined)
    })

    it('ends the sessions of a person, or of one session of the provider', async () => {
      const { singleSignOn, sessions } = subject().stores
      const { uuid } = await create()
      const uuids = [await session(1, uuid, 's1'), await session(2, uuid, 's2'), await session(3, uuid, 's2')]
      const other = await session(4, (await create(bert, 'bert@example.com')).uuid, 's1', bert)
      const end = (given: object) =>
        singleSignOn.endSessions(
          { issuer: anna.issuer, subject: null, sessionId: null, ...given },
          somebody(),
        )
      const open = async () => {
        const found = await Promise.all([...uuids, other].map((each) => sessions.byUuid(each)))
        return found.map((each) => each !== undefined)
      }
      expect(await end({ issuer: 'https://other.example', subject: 'a-1' })).to.equal(0)
      expect(await end({ subject: 'a-1', sessionId: 's1' })).to.equal(1)
      expect(await open()).to.deep.equal([false, true, true, true])
      expect(await end({ sessionId: 's2' })).to.equal(2)
      expect(await open()).to.deep.equal([false, false, false, true])
      expect(await end({ subject: 'b-1' })).to.equal(1)
      expect(await open()).to.deep.equal([false, false, false, false])
    })

    it('ends nothing for a notice without a person and a session', async () => {
      const { singleSignOn } = subject().stores
      await session(1, (await create()).uuid)
      const nobody = { issuer: anna.issuer, subject: null, sessionId: null }
      expect(await singleSignOn.endSessions(nobody, somebody())).to.equal(0)
    })
  })
}
