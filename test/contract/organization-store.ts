import { expect } from 'chai'
import { expectRejection, uuidPattern, type GetSubject } from './fixture.ts'

export function organizationStoreContract(subject: GetSubject): void {
  describe('OrganizationStore', () => {
    it('gives an organization a uuid and the time', async () => {
      const { acme, clock } = subject()
      expect(acme).to.deep.equal({ uuid: acme.uuid, code: 'Acme', name: 'Acme Ltd', createdAt: clock.nowMs })
      expect(acme.uuid).to.match(uuidPattern)
    })

    it('lists those of the scope only', async () => {
      const { stores, acme, globex } = subject()
      expect(await stores.organizations.list('all')).to.deep.equal([acme, globex])
      expect(await stores.organizations.list([globex.uuid])).to.deep.equal([globex])
      expect(await stores.organizations.list([globex.uuid, acme.uuid])).to.have.length(2)
      expect(await stores.organizations.list([])).to.deep.equal([])
    })

    it('refuses a code that differs in case only', async () => {
      const { stores } = subject()
      const again = stores.organizations.create({ code: 'ACME', name: 'Other' })
      await expectRejection(again, 'ConflictError', 'organization_exists')
    })

    it('refuses codes that would make alert ids ambiguous', async () => {
      const { stores } = subject()
      for (const code of ['', 'a-b', 'a b', 'ä', 'x'.repeat(33), "a';--"]) {
        await expectRejection(
          stores.organizations.create({ code, name: 'x' }),
          'ValidationError',
          'invalid_code',
        )
      }
    })
  })
}
