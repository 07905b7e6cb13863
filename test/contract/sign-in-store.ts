import { expect } from 'chai'
import { Secret } from '../../core/plugin/index.ts'
import type { NewSignIn } from '../../core/ports/sign-in-store.ts'
import { somebody } from '../support/somebody.ts'
import { expectRejection, unknownUuid, type GetSubject } from './fixture.ts'

const made: NewSignIn = {
  client: 'client-1',
  scope: 'read',
  access: new Secret('access-1'),
  refresh: new Secret('refresh-1'),
  renewAt: 1_000,
  expiresAt: 2_000,
}

export function signInStoreContract(subject: GetSubject): void {
  describe('SignInStore', () => {
    const connection = async () => {
      const { stores, acme } = subject()
      const given = { name: 'drive', plugin: 'cloud_drive', settings: {}, secrets: {} }
      return await stores.connections.create(acme.uuid, given, somebody())
    }
    const texts = async (of: Awaited<ReturnType<typeof connection>>) => {
      const { access, refresh } = (await subject().stores.signIns.open(of)) ?? {}
      return [access?.reveal(), refresh?.reveal()]
    }

    it('stores a sign-in with its tokens, which replaces an earlier one', async () => {
      const { stores, clock } = subject()
      const of = await connection()
      expect(await stores.signIns.open(of)).to.equal(undefined)
      const { signIn, revision } = await stores.signIns.save(of, made, 1, somebody())
      expect(revision, 'unchanged').to.equal(1)
      expect(signIn).to.deep.equal({
        id: signIn?.id,
        at: clock.nowMs,
        by: somebody().name,
        account: null,
        scope: 'read',
        client: 'client-1',
        isRenewable: true,
        renewAt: 1_000,
        expiresAt: 2_000,
        renewedAt: null,
        renewingSince: null,
        ended: null,
      })
      expect((await stores.connections.list('all'))[0]?.signIn).to.deep.equal(signIn)
      expect(await texts(of)).to.deep.equal(['access-1', 'refresh-1'])
      await stores.signIns.save(
        of,
        { ...made, access: new Secret('access-2'), refresh: undefined },
        1,
        somebody(),
      )
      expect(await texts(of)).to.deep.equal(['access-2', undefined])
      expect((await stores.signIns.open(of))?.signIn).to.include({ isRenewable: false })
      expect((await stores.signIns.open(of))?.signIn.id).to.not.equal(signIn?.id)
    })

    it('refuses a sign-in to a connection that has changed or is unknown', async () => {
      const { stores, acme, globex } = subject()
      const of = await connection()
      await stores.connections.update(acme.uuid, of.uuid, { enabled: false }, undefined, somebody())
      const late = stores.signIns.save(of, made, 1, somebody())
      await expectRejection(late, 'ConflictError', 'revision_changed')
      expect(await stores.signIns.open(of)).to.equal(undefined)
      for (const other of [
        { ...of, organizationUuid: globex.uuid },
        { ...of, uuid: unknownUuid },
      ])
        await expectRejection(
          stores.signIns.save(other, made, 1, somebody()),
          'NotFoundError',
          'connection_not_found',
        )
    })

    it('records renewals, of the current sign-in alone', async () => {
      const { stores, clock } = subject()
      const of = await connection()
      const id = (await stores.signIns.save(of, made, 1, somebody())).signIn!.id
      expect(await stores.signIns.beginRenewal(of, id)).to.equal(true)
      expect((await stores.signIns.open(of))?.signIn.renewingSince).to.equal(clock.nowMs)
      const tokens = { ...made, access: new Secret('access-2'), refresh: undefined, scope: null, renewAt: 5 }
      await stores.signIns.endRenewal(of, id, { kind: 'renewed', tokens })
      expect((await stores.signIns.open(of))?.signIn).to.include({
        renewingSince: null,
        renewedAt: clock.nowMs,
        renewAt: 5,
        scope: 'read',
        isRenewable: true,
      })
      expect(await texts(of), 'the refresh token stays').to.deep.equal(['access-2', 'refresh-1'])

      await stores.signIns.save(of, made, 1, somebody())
      expect(await stores.signIns.beginRenewal(of, id)).to.equal(false)
      await stores.signIns.endRenewal(of, id, { kind: 'ended', reason: 'late' })
      expect((await stores.signIns.open(of))?.signIn.ended).to.equal(null)
    })

    it('ends a sign-in and deletes its tokens, with an audit entry', async () => {
      const { stores, clock } = subject()
      const of = await connection()
      const id = (await stores.signIns.save(of, made, 1, somebody())).signIn!.id
      await stores.signIns.beginRenewal(of, id)
      expect(await stores.signIns.endInterrupted('stopped')).to.equal(1)
      expect(await stores.signIns.endInterrupted('stopped')).to.equal(0)
      expect((await stores.signIns.open(of))?.signIn).to.deep.include({
        ended: { reason: 'stopped', at: clock.nowMs },
        renewingSince: null,
      })
      expect(await texts(of)).to.deep.equal([undefined, undefined])
      expect(await stores.signIns.beginRenewal(of, id)).to.equal(false)
      const { data } = await stores.audit.list('all', {}, { limit: 1 })
      expect(data[0]).to.deep.include({ action: 'connection.sign_in_ended' })
      expect(data[0]?.details).to.deep.include({ reason: 'stopped' })
    })

    it('is renewed by one node at a time, and ended when that was lost during the renewal', async () => {
      const { stores, another } = subject()
      const of = await connection()
      const { id } = (await stores.signIns.save(of, made, 1, somebody())).signIn!
      const other = await another()
      try {
        await stores.nodes.join({ name: 'a', program: '1' })
        await other.nodes.join({ name: 'b', program: '1' })
        expect(await other.signIns.beginRenewal(of, id)).to.equal(true)
        expect(await stores.signIns.beginRenewal(of, id)).to.equal(false)
        expect(await stores.signIns.endInterrupted('stopped')).to.equal(0)
        const found = (await stores.nodes.list()).filter((node) => node.id === other.nodes.id)
        await stores.nodes.remove(found, 'lost')
        expect(await stores.signIns.endInterrupted('stopped')).to.equal(1)
        expect((await stores.signIns.open(of))?.signIn.ended?.reason).to.equal('stopped')
      } finally {
        await other.close()
      }
    })

    it('is deleted by a sign-out, with its connection, or with a change that says so', async () => {
      const { stores, acme } = subject()
      const of = await connection()
      await stores.signIns.save(of, made, 1, somebody())
      expect(await stores.signIns.remove(of, somebody())).to.equal(true)
      expect(await stores.signIns.remove(of, somebody())).to.equal(false)
      expect((await stores.connections.list('all'))[0]?.signIn).to.equal(null)

      await stores.signIns.save(of, made, 1, somebody())
      const update = (changes: object) =>
        stores.connections.update(acme.uuid, of.uuid, changes, undefined, somebody())
      expect((await update({ settings: { a: 1 } })).signIn).to.not.equal(null)
      expect((await update({ settings: { a: 2 }, discardSignIn: true })).signIn).to.equal(null)
      expect(await stores.signIns.open(of)).to.equal(undefined)

      await stores.signIns.save(of, made, 3, somebody())
      await stores.connections.remove(acme.uuid, of.uuid, undefined, somebody())
      await expectRejection(stores.signIns.open(of), 'NotFoundError', 'connection_not_found')
    })

    it('keeps the account that a test reported', async () => {
      const { stores, acme } = subject()
      const of = await connection()
      const test = { asOf: 1, warning: null }
      await stores.connections.works(acme.uuid, of.uuid, { ...test, account: 'nobody' }, somebody())
      await stores.signIns.save(of, made, 1, somebody())
      await stores.connections.works(acme.uuid, of.uuid, { ...test, account: 'ada' }, somebody())
      await stores.connections.works(acme.uuid, of.uuid, test, somebody())
      expect((await stores.signIns.open(of))?.signIn.account).to.equal('ada')
    })
  })
}
