import { expect } from 'chai'
import { expectRejection, type GetSubject } from './fixture.ts'
import { somebody } from '../support/somebody.ts'

export function providerStoreContract(subject: GetSubject): void {
  describe('ProviderStore', () => {
    it('lists providers by code', async () => {
      const { stores, clock } = subject()
      await stores.providers.create({ code: 'DLP', name: 'Data protection' }, somebody())
      expect(await stores.providers.list()).to.deep.equal([
        { code: 'DLP', name: 'Data protection', revision: 1, createdAt: clock.nowMs },
        { code: 'SIEM', name: 'The SIEM', revision: 1, createdAt: clock.nowMs },
      ])
    })

    it('renames a provider at the expected revision and records it in the audit log', async () => {
      const { stores } = subject()
      expect(await stores.providers.rename('siem', 'Other', 1, somebody('ada'))).to.include({
        code: 'SIEM',
        name: 'Other',
        revision: 2,
      })
      const again = stores.providers.rename('SIEM', 'x', 1, somebody())
      await expectRejection(again, 'ConflictError', 'revision_changed')
      const none = stores.providers.rename('none', 'x', undefined, somebody())
      await expectRejection(none, 'NotFoundError', 'provider_not_found')
      const { data } = await stores.audit.list('all', {}, { limit: 2 })
      expect(data.map(({ action, actor, subject: about }) => [action, actor.name, about.id])).to.deep.equal([
        ['provider.changed', 'ada', 'SIEM'],
        ['provider.created', 'ops', 'SIEM'],
      ])
    })

    it('refuses an invalid code and one that differs only in letter case', async () => {
      const { stores } = subject()
      const again = stores.providers.create({ code: 'siem', name: 'Other' }, somebody())
      await expectRejection(again, 'ConflictError', 'provider_exists')
      const hyphen = stores.providers.create({ code: 'my-siem', name: 'Other' }, somebody())
      await expectRejection(hyphen, 'ValidationError', 'invalid_code')
    })
  })
}
