import { expect } from 'chai'
import { expectRejection, unknownUuid, type GetSubject } from './fixture.ts'
import { someAuthor, somebody } from '../support/somebody.ts'

const first = {
  name: 'triage',
  hash: 'a'.repeat(64),
  source: 'name: triage\n',
  origin: 'file',
  organizationUuid: null,
} as const
const second = { ...first, hash: 'b'.repeat(64), source: 'name: triage\n# 2\n' } as const

export function playbookStoreContract(subject: GetSubject): void {
  const page = { limit: 5 }
  const made = (organization: { readonly uuid: string }, name = 'made') =>
    ({
      ...first,
      name,
      hash: organization.uuid,
      origin: 'made',
      organizationUuid: organization.uuid,
    }) as const

  describe('PlaybookStore', () => {
    it('keeps every version and finds the newest by name', async () => {
      const { stores, clock, acme } = subject()
      await stores.playbooks.put(first, somebody())
      clock.nowMs += 5
      await stores.playbooks.put(second, somebody())
      await stores.playbooks.put(made(acme), somebody())
      const by = someAuthor()
      const newest = {
        ...second,
        isNewest: true,
        createdAt: clock.nowMs,
        putInForce: { at: clock.nowMs, by, reason: null },
        draft: null,
      }
      expect(await stores.playbooks.find('all', 'triage')).to.deep.equal(newest)
      const old = await stores.playbooks.findByHash('all', first.hash)
      const before = clock.nowMs - 5
      expect(old).to.deep.equal({
        ...first,
        isNewest: false,
        createdAt: before,
        putInForce: { at: before, by, reason: null },
        draft: null,
      })
    })

    it('tells who last published or deleted an authored playbook', async () => {
      const { stores, acme } = subject()
      const { playbooks } = stores
      const [kim, max] = ['kim', 'max'].map((name) => ({ ...somebody(), name }))
      const last = async () => (await playbooks.lastChangedBy('triage'))?.name
      await playbooks.put({ ...made(acme, 'triage'), hash: 'c'.repeat(64) }, somebody())
      expect(await last()).to.equal(undefined)
      await playbooks.put(first, kim!)
      await playbooks.put(second, max!)
      expect(await last()).to.equal('max')
      await playbooks.put(first, kim!)
      await playbooks.publish({ versions: [], removed: [first], files: [] }, max!)
      expect(await last()).to.equal('max')
      await playbooks.put(first, kim!)
      expect(await last()).to.equal('kim')
    })

    it('records who last published a version', async () => {
      const { stores, clock } = subject()
      const kim = { ...somebody(), name: 'kim' }
      for (const [one, by] of [
        [first, somebody()],
        [second, somebody()],
        [first, kim],
        [first, somebody()],
      ] as const) {
        clock.nowMs += 10
        await stores.playbooks.put(one, by)
      }
      const { data } = await stores.playbooks.versions('all', 'triage', page)
      expect(data.map(({ hash, isNewest, putInForce }) => [hash[0], isNewest, putInForce])).to.deep.equal([
        ['b', false, { at: clock.nowMs - 20, by: someAuthor(), reason: null }],
        ['a', true, { at: clock.nowMs - 10, by: someAuthor('kim'), reason: null }],
      ])
    })

    it('lists the newest version of every name without its source, in pages', async () => {
      const { stores, clock, acme } = subject()
      for (const one of [first, second, made(acme)]) await stores.playbooks.put(one, somebody())
      const one = await stores.playbooks.list('all', { limit: 1 })
      const { source: _, ...listed } = made(acme)
      const putInForce = { at: clock.nowMs, by: someAuthor(), reason: null }
      expect(one).to.deep.include({
        data: [{ ...listed, isNewest: true, createdAt: clock.nowMs, putInForce, draft: null }],
        total: 2,
      })
      const two = await stores.playbooks.list('all', { limit: 1, cursor: one.nextCursor ?? '' })
      expect(two.data.map(({ name, hash }) => [name, hash])).to.deep.equal([['triage', second.hash]])
      expect(two.nextCursor).to.equal(null)
      await expectRejection(
        stores.playbooks.list('all', { limit: 1, cursor: 'x' }),
        'ValidationError',
        'invalid_cursor',
      )
    })

    it('shows a scope the playbooks generated for its organizations, and all authored ones', async () => {
      const { stores, acme, globex } = subject()
      for (const one of [first, made(acme, 'of-acme'), made(globex, 'of-globex')]) {
        await stores.playbooks.put(one, somebody())
      }
      for (const [scope, visible] of [
        ['all', ['of-globex', 'of-acme', 'triage']],
        [[], ['triage']],
        [[acme.uuid], ['of-acme', 'triage']],
        [[globex.uuid], ['of-globex', 'triage']],
        [
          [globex.uuid, acme.uuid],
          ['of-globex', 'of-acme', 'triage'],
        ],
      ] as const) {
        const { data, total } = await stores.playbooks.list(scope, page)
        expect(data.map(({ name }) => name)).to.deep.equal(visible)
        expect(total).to.equal(visible.length)
        const seen = (visible as readonly string[]).includes('of-acme')
        expect((await stores.playbooks.find(scope, 'of-acme')) !== undefined).to.equal(seen)
        expect((await stores.playbooks.findByHash(scope, acme.uuid)) !== undefined).to.equal(seen)
      }
    })

    it('separates playbooks by organization, and prefers authored to generated ones', async () => {
      const { stores, acme, globex } = subject()
      await stores.playbooks.put(made(acme), somebody())
      await stores.playbooks.put(made(globex), somebody())
      expect((await stores.playbooks.find([acme.uuid], 'made'))?.hash).to.equal(acme.uuid)
      expect((await stores.playbooks.find([globex.uuid], 'made'))?.hash).to.equal(globex.uuid)
      expect(await stores.playbooks.find([], 'made')).to.equal(undefined)
      // A person saves it unchanged in the folder.
      await stores.playbooks.put({ ...made(acme), origin: 'file', organizationUuid: null }, somebody())
      for (const scope of ['all', [acme.uuid], []] as const) {
        expect(await stores.playbooks.find(scope, 'made')).to.include({ origin: 'file', hash: acme.uuid })
        expect(await stores.playbooks.findByHash(scope, acme.uuid)).to.include({ origin: 'file' })
      }
    })

    describe('authored playbooks of organizations', () => {
      const versionOf = (letter: string, organizationUuid: string | null) =>
        ({ ...first, hash: letter.repeat(64), source: `# ${letter}`, organizationUuid }) as const

      it('are seen in their organization only', async () => {
        const { stores, acme, globex } = subject()
        await stores.playbooks.put(versionOf('a', acme.uuid), somebody())
        const seenBy = async (scope: 'all' | readonly string[]) => [
          (await stores.playbooks.find(scope, 'triage'))?.hash[0],
          (await stores.playbooks.findByHash(scope, 'a'.repeat(64)))?.hash[0],
          (await stores.playbooks.list(scope, page)).total,
          (await stores.playbooks.versions(scope, 'triage', page)).total,
        ]
        for (const scope of ['all', [acme.uuid], [globex.uuid, acme.uuid]] as const)
          expect(await seenBy(scope)).to.deep.equal(['a', 'a', 1, 1])
        for (const scope of [[globex.uuid], []] as const)
          expect(await seenBy(scope)).to.deep.equal([undefined, undefined, 0, 0])
      })

      it('have one newest version of a name, whoever the versions belong to', async () => {
        const { stores, acme, globex } = subject()
        const owners = [null, acme.uuid, globex.uuid]
        for (const [at, owner] of owners.entries())
          await stores.playbooks.put(versionOf('abc'[at]!, owner), somebody())
        const seenBy = async (scope: 'all' | readonly string[]) => {
          const { data } = await stores.playbooks.versions(scope, 'triage', page)
          const { data: listed } = await stores.playbooks.list(scope, page)
          return [data.map(({ hash }) => hash[0]).join(''), listed.map(({ hash }) => hash[0]).join('')]
        }
        expect(await seenBy('all')).to.deep.equal(['cba', 'c'])
        expect(await seenBy([globex.uuid])).to.deep.equal(['ca', 'c'])
        // The newest version is not theirs, the earlier ones are.
        expect(await seenBy([acme.uuid])).to.deep.equal(['ba', ''])
        expect(await stores.playbooks.find([acme.uuid], 'triage')).to.equal(undefined)
        await stores.playbooks.put(versionOf('a', null), somebody())
        expect(await seenBy([acme.uuid])).to.deep.equal(['ba', 'a'])
      })

      it('precede a generated one of the same name and organization', async () => {
        const { stores, acme } = subject()
        await stores.playbooks.put(versionOf('a', acme.uuid), somebody())
        await stores.playbooks.put(made(acme, 'triage'), somebody())
        for (const scope of ['all', [acme.uuid]] as const) {
          const found = await stores.playbooks.find(scope, 'triage')
          expect(found).to.include({ origin: 'file', isNewest: true })
          expect((await stores.playbooks.versions(scope, 'triage', page)).total).to.equal(1)
        }
        expect((await stores.playbooks.findByHash('all', acme.uuid))?.isNewest).to.equal(true)
      })

      it('are audited in their organization, also when their file is deleted', async () => {
        const { stores, acme, globex } = subject()
        await stores.playbooks.put(versionOf('a', acme.uuid), somebody())
        const removed = [{ name: 'triage' }]
        await stores.playbooks.publish({ versions: [], removed, files: [] }, somebody())
        const actions = async (scope: 'all' | readonly string[]) =>
          (await stores.audit.list(scope, {}, { limit: 50 })).data
            .map(({ action }) => action)
            .filter((action) => action.startsWith('playbook.'))
        expect(await actions([acme.uuid])).to.deep.equal(['playbook.removed', 'playbook.put_in_force'])
        expect(await actions([globex.uuid])).to.deep.equal([])
      })
    })

    it('changes nothing if the newest version is stored again', async () => {
      const { stores, clock } = subject()
      await stores.playbooks.put(first, somebody())
      clock.nowMs += 5
      await stores.playbooks.put(first, somebody())
      const { data } = await stores.playbooks.list('all', page)
      expect(data.map(({ hash, createdAt }) => [hash, createdAt])).to.deep.equal([
        [first.hash, clock.nowMs - 5],
      ])
    })

    it('makes an old version the newest if it is stored again', async () => {
      const { stores } = subject()
      for (const version of [first, second, first]) await stores.playbooks.put(version, somebody())
      expect((await stores.playbooks.find('all', 'triage'))?.hash).to.equal(first.hash)
      expect((await stores.playbooks.list('all', page)).total).to.equal(1)
      expect((await stores.playbooks.findByHash('all', second.hash))?.source).to.equal(second.source)
    })

    it('keeps why a version was published, in its audit entry too', async () => {
      const { stores } = subject()
      await stores.playbooks.put(first, somebody(), { reason: 'too many alerts' })
      await stores.playbooks.put(second, somebody())
      await stores.playbooks.put(first, somebody(), { reason: 'worse than before' })
      const { data } = await stores.playbooks.versions('all', 'triage', page)
      expect(data.map(({ putInForce }) => putInForce?.reason)).to.deep.equal([null, 'worse than before'])
      const entries = (await stores.audit.list('all', {}, { limit: 3 })).data
      expect(entries.map(({ details }) => details)).to.deep.equal([
        { origin: 'file', reason: 'worse than before', is_earlier_version: true },
        { origin: 'file' },
        { origin: 'file', reason: 'too many alerts' },
      ])
    })

    it('removes a published draft, unless it was changed since', async () => {
      const { stores } = subject()
      const given = { name: 'triage', source: first.source, baseHash: null, note: '', organizationUuid: null }
      const kim = { ...somebody(), name: 'kim' }
      const { revision: draftRevision } = await stores.drafts.save(given, null, kim)
      await stores.drafts.save(given, draftRevision, kim)
      await stores.playbooks.put(first, somebody(), { reason: 'x', draftRevision })
      const left = await stores.drafts.find('all', 'triage')
      expect((await stores.playbooks.find('all', 'triage'))?.draft).to.deep.equal({
        revision: left?.revision,
        changedAt: left?.changedAt,
        changedBy: someAuthor('kim'),
      })
      await stores.playbooks.put(second, somebody(), { draftRevision: left?.revision })
      expect(await stores.drafts.find('all', 'triage')).to.equal(undefined)
      expect((await stores.playbooks.find('all', 'triage'))?.draft).to.equal(null)
      const [entry] = (await stores.audit.list('all', {}, { limit: 1 })).data
      expect(entry?.details).to.deep.equal({ origin: 'file', draft_by: someAuthor('kim') })
    })

    const why = { reason: 'rule 7', revision: 'c'.repeat(40) }
    const auditOf = async () =>
      (await subject().stores.audit.list('all', {}, { limit: 20 })).data
        .filter(({ action }) => action.startsWith('playbook.'))
        .map(({ action, subject: { id }, details }) => ({ action, id: id[0], details }))
        .toReversed()

    it('publishes and deletes authored playbooks together, with the reason, and remembers their files', async () => {
      const { stores, acme } = subject()
      const other = { ...first, name: 'other', hash: 'd'.repeat(64) }
      await stores.playbooks.put(made(acme), somebody())
      await stores.playbooks.publish(
        {
          versions: [first, other],
          removed: [],
          files: [
            { path: 'triage.yaml', hash: first.hash },
            { path: 'other.yaml', hash: other.hash },
          ],
        },
        somebody(),
      )
      await stores.playbooks.publish(
        {
          versions: [{ ...second, publication: { ...why, promoted: { shadow: 's' } } }],
          removed: ['other', 'unknown', 'made'].map((name) => ({ name, publication: why })),
          files: [
            { path: 'triage.yaml', hash: second.hash },
            { path: 'other.yaml', hash: null },
          ],
        },
        somebody(),
      )
      expect([...(await stores.playbooks.published())]).to.deep.equal([['triage', second.hash]])
      const { files } = await stores.playbooks.folder()
      expect([...files]).to.deep.equal([['triage.yaml', second.hash]])
      expect((await auditOf()).slice(1)).to.deep.equal([
        { action: 'playbook.put_in_force', id: 'a', details: { origin: 'file' } },
        { action: 'playbook.put_in_force', id: 'd', details: { origin: 'file' } },
        { action: 'playbook.promoted', id: 'b', details: { origin: 'file', ...why, shadow: 's' } },
        { action: 'playbook.removed', id: 'd', details: why },
      ])
      expect((await stores.playbooks.find('all', 'other'))?.hash, 'versions are kept').to.equal(other.hash)
    })

    it('remembers a prepared change until it is published or was not written', async () => {
      const { stores } = subject()
      const change = {
        by: somebody(),
        files: [{ path: 'triage.yaml', before: null, source: first.source, publication: why }],
      }
      const prepared = async () => (await stores.playbooks.folder()).prepared
      expect(await prepared()).to.equal(undefined)
      await stores.playbooks.prepare(change)
      expect(await prepared()).to.deep.equal(change)
      await stores.playbooks.prepare(null)
      expect(await prepared()).to.equal(undefined)
      await stores.playbooks.prepare(change)
      await stores.playbooks.publish({ versions: [first], removed: [], files: [] }, somebody())
      expect(await prepared()).to.equal(undefined)
    })

    it('prepares and publishes nothing beside another change', async () => {
      const { playbooks } = subject().stores
      const prepared = { by: somebody(), files: [{ path: 'triage.yaml', before: null, source: 'a' }] }
      const set = { versions: [first], removed: [], files: [] }
      const none = { published: new Map<string, string>(), prepared: undefined }
      expect(await playbooks.prepare(prepared, none)).to.equal(true)
      expect(await playbooks.prepare({ ...prepared, files: [] }, none)).to.equal(false)
      expect(await playbooks.publish(set, somebody(), none)).to.equal(false)
      expect((await playbooks.folder()).prepared).to.deep.equal(prepared)
      expect(await playbooks.publish(set, somebody(), { ...none, prepared })).to.equal(true)
      expect(await playbooks.publish(set, somebody(), { ...none, prepared })).to.equal(false)
      for (const published of [none.published, new Map([['triage', second.hash]])])
        expect(await playbooks.prepare(prepared, { ...none, published })).to.equal(false)
      expect((await playbooks.folder()).prepared).to.equal(undefined)
      const published = new Map([['triage', first.hash]])
      expect(await playbooks.prepare(null, { published, prepared: undefined })).to.equal(true)
    })

    it('finds nothing by an unknown name or hash, and refuses an unknown organization', async () => {
      const { stores } = subject()
      expect(await stores.playbooks.find('all', 'nobody')).to.equal(undefined)
      expect(await stores.playbooks.findByHash('all', '')).to.equal(undefined)
      await expectRejection(
        stores.playbooks.put(made({ uuid: unknownUuid }), somebody()),
        'NotFoundError',
        'organization_not_found',
      )
    })
  })
}
