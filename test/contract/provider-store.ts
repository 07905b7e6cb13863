import { expect } from 'chai'
import { expectRejection, type GetSubject } from './fixture.ts'

export function providerStoreContract(subject: GetSubject): void {
  describe('ProviderStore', () => {
    it('lists providers by code', async () => {
      const { stores, clock } = subject()
      await stores.providers.create({ code: 'DLP', name: 'Data protection' })
      expect(await stores.providers.list()).to.deep.equal([
        { code: 'DLP', name: 'Data protection', createdAt: clock.nowMs },
        { code: 'SIEM', name: 'The SIEM', createdAt: clock.nowMs },
      ])
    })

    it('refuses a code that differs in case only, and one that is no code', async () => {
      const { stores } = subject()
      const again = stores.providers.create({ code: 'siem', name: 'Other' })
      await expectRejection(again, 'ConflictError', 'provider_exists')
      const hyphen = stores.providers.create({ code: 'my-siem', name: 'Other' })
      await expectRejection(hyphen, 'ValidationError', 'invalid_code')
    })
  })
}
