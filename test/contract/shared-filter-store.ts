import { expect } from 'chai'
import { maxSharedFilters } from '../../core/ports/access/shared-filter-store.ts'
import { somebody } from '../support/somebody.ts'
import { expectRejection, type GetSubject } from './fixture.ts'

export function sharedFilterStoreContract(subject: GetSubject): void {
  describe('SharedFilterStore', () => {
    const save = (name: string, search = 'a=1', of: 'acme' | 'globex' = 'acme') =>
      subject().stores.sharedFilters.save(subject()[of].uuid, { view: 'cases', name, search }, somebody())
    const names = async (scope: 'all' | readonly string[]) =>
      (await subject().stores.sharedFilters.list(scope, 'cases')).map(({ name, search }) => [name, search])

    it('lists filters by name, of a view and within the scope only', async () => {
      const { stores, acme, globex } = subject()
      await save('b')
      const made = await save('a')
      await save('c', 'a=2', 'globex')
      expect(made).to.deep.include({ organization: 'Acme', view: 'cases', name: 'a', search: 'a=1' })
      expect(await names('all')).to.deep.equal([
        ['a', 'a=1'],
        ['b', 'a=1'],
        ['c', 'a=2'],
      ])
      expect(await names([globex.uuid])).to.deep.equal([['c', 'a=2']])
      expect(await stores.sharedFilters.list([acme.uuid], 'runs')).to.deep.equal([])
    })

    it('replaces a filter of the same name, and keeps its id', async () => {
      const first = await save('a')
      const second = await save('a', 'a=2')
      expect(second).to.include({ uuid: first.uuid, search: 'a=2' })
      expect(await names('all')).to.deep.equal([['a', 'a=2']])
    })

    it('removes a filter within the scope only', async () => {
      const { stores, acme, globex } = subject()
      const { uuid } = await save('a')
      const missing = () => stores.sharedFilters.remove([globex.uuid], uuid)
      await expectRejection(missing(), 'NotFoundError', 'filter_not_found')
      await stores.sharedFilters.remove([acme.uuid], uuid)
      expect(await names('all')).to.deep.equal([])
      await expectRejection(stores.sharedFilters.remove('all', uuid), 'NotFoundError', 'filter_not_found')
    })

    it('has a limit for each organization and view', async () => {
      for (let n = 0; n < maxSharedFilters; n++) await save(`f${n}`)
      await expectRejection(save('one more'), 'ConflictError', 'too_many_filters')
      await save('f7', 'a=7')
      await save('one more', 'a=1', 'globex')
    })
  })
}
