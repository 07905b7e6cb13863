import { expect } from 'chai'
import { Secret } from '../../core/plugin/index.ts'
import type { NewConnection } from '../../core/ports/connection-store.ts'
import { expectRejection, unknownUuid, uuidPattern, type GetSubject } from './fixture.ts'
import { somebody } from '../support/somebody.ts'

const given: NewConnection = {
  name: 'Main EDR',
  plugin: 'endpoint_security',
  settings: { tenant_id: 't', nested: { list: [1] } },
  secrets: { client_secret: new Secret('s3cr\u00e9t🔔'), other: new Secret('') },
}

export function connectionStoreContract(subject: GetSubject): void {
  describe('ConnectionStore', () => {
    it('opens a connection with its secrets, by name ignoring case', async () => {
      const { stores, acme, clock } = subject()
      const made = await stores.connections.create(acme.uuid, given, somebody())
      expect(made).to.deep.equal({
        uuid: made.uuid,
        organizationUuid: acme.uuid,
        name: 'Main EDR',
        plugin: 'endpoint_security',
        settings: given.settings,
        secretReferences: {},
        enabled: true,
        revision: 1,
        secretsAt: clock.nowMs,
        broken: null,
        lastFailure: null,
        warning: null,
        signIn: null,
        createdAt: clock.nowMs,
        modifiedAt: clock.nowMs,
      })
      expect(made.uuid).to.match(uuidPattern)
      const opened = await stores.connections.open(acme.uuid, 'MAIN edr')
      expect(opened?.connection).to.deep.equal(made)
      expect(Object.keys(opened?.secrets ?? {})).to.have.members(['client_secret', 'other'])
      expect(opened?.secrets['client_secret']?.reveal()).to.equal('s3cr\u00e9t🔔')
      expect(opened?.secrets['other']?.reveal()).to.equal('')
    })

    it('keeps names unique within an organization, ignoring case in any script', async () => {
      const { stores, acme, globex } = subject()
      await stores.connections.create(acme.uuid, { ...given, name: 'Zürich ÄRGER' }, somebody())
      const again = stores.connections.create(acme.uuid, { ...given, name: 'zürich ärger' }, somebody())
      await expectRejection(again, 'ConflictError', 'connection_exists')
      await stores.connections.create(globex.uuid, { ...given, name: 'zürich ärger' }, somebody())
      expect(await stores.connections.list('all')).to.have.length(2)
    })

    it('changes only given fields and replaces secrets as a whole', async () => {
      const { stores, acme, clock } = subject()
      const made = await stores.connections.create(acme.uuid, given, somebody())
      clock.nowMs += 5
      const disabled = await stores.connections.update(
        acme.uuid,
        made.uuid,
        { enabled: false },
        undefined,
        somebody(),
      )
      expect(disabled).to.deep.equal({ ...made, enabled: false, revision: 2, modifiedAt: clock.nowMs })
      const secrets = { client_secret: new Secret('next') }
      const changed = await stores.connections.update(
        acme.uuid,
        made.uuid,
        { settings: { a: 1 }, secrets },
        undefined,
        somebody(),
      )
      expect(changed).to.deep.equal({
        ...disabled,
        settings: { a: 1 },
        secretsAt: clock.nowMs,
        revision: 3,
      })
      const late = stores.connections.update(acme.uuid, made.uuid, { enabled: true }, 2, somebody())
      await expectRejection(late, 'ConflictError', 'revision_changed')
      const gone = stores.connections.remove(acme.uuid, made.uuid, 2, somebody())
      await expectRejection(gone, 'ConflictError', 'revision_changed')
      const opened = await stores.connections.open(acme.uuid, given.name)
      expect(opened?.connection).to.deep.equal(changed)
      expect(Object.keys(opened?.secrets ?? {})).to.deep.equal(['client_secret'])
      expect(opened?.secrets['client_secret']?.reveal()).to.equal('next')
    })

    it('keeps the last refusal until the connection works or its settings change', async () => {
      const { stores, acme, globex, clock } = subject()
      const { connections } = stores
      const { uuid } = await connections.create(acme.uuid, given, somebody())
      const now = async () => (await connections.list('all'))[0]!
      const failure = { code: 'http_401', at: clock.nowMs }
      await connections.used(globex.uuid, uuid, failure)
      expect((await now()).lastFailure, 'of another organization').to.equal(null)

      await connections.used(acme.uuid, uuid, failure)
      expect(await now()).to.deep.include({ lastFailure: failure, revision: 1 })
      expect((await connections.open(acme.uuid, given.name))?.connection.lastFailure).to.deep.equal(failure)
      await connections.update(acme.uuid, uuid, { enabled: false }, undefined, somebody())
      expect((await now()).lastFailure).to.deep.equal(failure)
      await connections.used(acme.uuid, uuid, null)
      expect((await now()).lastFailure).to.equal(null)

      await connections.used(acme.uuid, uuid, failure)
      await connections.works(acme.uuid, uuid, { asOf: failure.at - 1, warning: null }, somebody())
      expect((await now()).lastFailure, 'refused after it was found to work').to.deep.equal(failure)
      await connections.works(acme.uuid, uuid, { asOf: failure.at, warning: null }, somebody())
      expect((await now()).lastFailure).to.equal(null)

      await connections.used(acme.uuid, uuid, failure)
      await connections.update(acme.uuid, uuid, { settings: {} }, undefined, somebody())
      expect((await now()).lastFailure).to.equal(null)
    })

    it('remembers when its secrets were entered', async () => {
      const { stores, acme, clock } = subject()
      const made = await stores.connections.create(acme.uuid, given, somebody())
      const bare = await stores.connections.create(
        acme.uuid,
        { ...given, name: 'bare', secrets: {} },
        somebody(),
      )
      expect(bare.secretsAt).to.equal(null)
      clock.nowMs += 5
      const kept = await stores.connections.update(
        acme.uuid,
        made.uuid,
        { settings: {}, enabled: false },
        undefined,
        somebody(),
      )
      expect(kept.secretsAt).to.equal(clock.nowMs - 5)
      const emptied = await stores.connections.update(
        acme.uuid,
        made.uuid,
        { secrets: {} },
        undefined,
        somebody(),
      )
      expect(emptied.secretsAt).to.equal(null)
    })

    it('gives each connection a unique token and finds it by that token', async () => {
      const { stores, acme, globex } = subject()
      const one = await stores.connections.create(acme.uuid, given, somebody())
      const two = await stores.connections.create(globex.uuid, given, somebody())
      const token = (await stores.connections.eventsToken(acme.uuid, one.uuid)).reveal()
      const other = (await stores.connections.eventsToken(globex.uuid, two.uuid)).reveal()
      expect(token, '256 random bits').to.match(/^[A-Za-z0-9_-]{43}$/)
      expect(other).to.not.equal(token)
      expect((await stores.connections.eventsToken(acme.uuid, one.uuid)).reveal()).to.equal(token)
      const found = await stores.connections.openByEventsToken(token)
      expect(found?.connection).to.deep.equal(one)
      expect(found?.secrets['client_secret']?.reveal()).to.equal('s3cr\u00e9t🔔')
      expect((await stores.connections.openByEventsToken(other))?.connection).to.deep.equal(two)
      for (const wrong of ['', token.slice(0, -1), `${token}A`, token.toLowerCase(), one.uuid]) {
        expect(await stores.connections.openByEventsToken(wrong), wrong).to.equal(undefined)
      }
      await expectRejection(
        stores.connections.eventsToken(globex.uuid, one.uuid),
        'NotFoundError',
        'connection_not_found',
      )
    })

    it('keeps the token when a connection changes, and deletes it with the connection', async () => {
      const { stores, acme } = subject()
      const made = await stores.connections.create(acme.uuid, given, somebody())
      const token = (await stores.connections.eventsToken(acme.uuid, made.uuid)).reveal()
      await stores.connections.update(
        acme.uuid,
        made.uuid,
        { secrets: {}, enabled: false },
        undefined,
        somebody(),
      )
      expect((await stores.connections.openByEventsToken(token))?.connection.enabled).to.equal(false)
      expect(
        (await stores.connections.openByEventsToken(token))?.secrets,
        'it is no secret of the plugin',
      ).to.deep.equal({})
      await stores.connections.remove(acme.uuid, made.uuid, undefined, somebody())
      expect(await stores.connections.openByEventsToken(token)).to.equal(undefined)
      const again = await stores.connections.create(acme.uuid, given, somebody())
      expect((await stores.connections.eventsToken(acme.uuid, again.uuid)).reveal()).to.not.equal(token)
    })

    it('removes a connection and frees its name', async () => {
      const { stores, acme } = subject()
      const made = await stores.connections.create(acme.uuid, given, somebody())
      await stores.connections.remove(acme.uuid, made.uuid, undefined, somebody())
      expect(await stores.connections.list('all')).to.deep.equal([])
      await stores.connections.create(acme.uuid, { ...given, secrets: {} }, somebody())
      expect((await stores.connections.open(acme.uuid, given.name))?.secrets).to.deep.equal({})
    })

    it('changes and removes nothing of another organization', async () => {
      const { stores, acme, globex } = subject()
      const { uuid } = await stores.connections.create(acme.uuid, given, somebody())
      for (const work of [
        stores.connections.update(globex.uuid, uuid, { enabled: false }, undefined, somebody()),
        stores.connections.remove(globex.uuid, uuid, undefined, somebody()),
        stores.connections.works(globex.uuid, uuid, { asOf: 0, warning: null }, somebody()),
        stores.connections.remove(acme.uuid, unknownUuid, undefined, somebody()),
      ]) {
        await expectRejection(work, 'NotFoundError', 'connection_not_found')
      }
      expect((await stores.connections.open(acme.uuid, given.name))?.connection.enabled).to.equal(true)
    })

    it('shows nothing of another organization', async () => {
      const { stores, acme, globex } = subject()
      const made = await stores.connections.create(acme.uuid, given, somebody())
      expect(await stores.connections.open(globex.uuid, given.name)).to.equal(undefined)
      expect(await stores.connections.list([globex.uuid])).to.deep.equal([])
      expect(await stores.connections.list([acme.uuid])).to.deep.equal([made])
    })

    it('refuses an unknown organization', async () => {
      const { stores } = subject()
      const stray = stores.connections.create(unknownUuid, given, somebody())
      await expectRejection(stray, 'NotFoundError', 'organization_not_found')
    })
  })
}
