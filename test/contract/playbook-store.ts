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
        putInForce: { at: clock.nowMs, by },
      }
      expect(await stores.playbooks.find('all', 'triage')).to.deep.equal(newest)
      const old = await stores.playbooks.findByHash('all', first.hash)
      const before = clock.nowMs - 5
      expect(old).to.deep.equal({
        ...first,
        isNewest: false,
        createdAt: before,
        putInForce: { at: before, by },
      })
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
        ['b', false, { at: clock.nowMs - 20, by: someAuthor() }],
        ['a', true, { at: clock.nowMs - 10, by: someAuthor('kim') }],
      ])
    })

    it('lists the newest version of every name without its source, in pages', async () => {
      const { stores, clock, acme } = subject()
      for (const one of [first, second, made(acme)]) await stores.playbooks.put(one, somebody())
      const one = await stores.playbooks.list('all', { limit: 1 })
      const { source: _, ...listed } = made(acme)
      const putInForce = { at: clock.nowMs, by: someAuthor() }
      expect(one).to.deep.include({
        data: [{ ...listed, isNewest: true, createdAt: clock.nowMs, putInForce }],
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
