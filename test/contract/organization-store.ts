import { expect } from 'chai'
import { expectRejection, uuidPattern, type GetSubject } from './fixture.ts'
import { ruleOf } from '../support/approval-rule.ts'
import { somebody } from '../support/somebody.ts'

export function organizationStoreContract(subject: GetSubject): void {
  describe('OrganizationStore', () => {
    it('gives an organization a uuid and a creation time', async () => {
      const { acme, clock } = subject()
      expect(acme).to.deep.equal({
        uuid: acme.uuid,
        code: 'Acme',
        name: 'Acme Ltd',
        revision: 1,
        createdAt: clock.nowMs,
      })
      expect(acme.uuid).to.match(uuidPattern)
    })

    it('lists only organizations of the scope', async () => {
      const { stores, acme, globex } = subject()
      expect(await stores.organizations.list('all')).to.deep.equal([acme, globex])
      expect(await stores.organizations.list([globex.uuid])).to.deep.equal([globex])
      expect(await stores.organizations.list([globex.uuid, acme.uuid])).to.have.length(2)
      expect(await stores.organizations.list([])).to.deep.equal([])
    })

    it('refuses a code that differs only in letter case', async () => {
      const { stores } = subject()
      const again = stores.organizations.create({ code: 'ACME', name: 'Other' }, somebody())
      await expectRejection(again, 'ConflictError', 'organization_exists')
    })

    it('renames an organization at the expected revision and records it in the audit log', async () => {
      const { stores, acme, globex } = subject()
      const renamed = await stores.organizations.rename(acme.uuid, 'Acme', 1, somebody('ada'))
      expect(renamed).to.deep.equal({ ...acme, name: 'Acme', revision: 2 })
      expect(await stores.organizations.list('all')).to.deep.equal([renamed, globex])
      const again = stores.organizations.rename(acme.uuid, 'Other', 1, somebody())
      await expectRejection(again, 'ConflictError', 'revision_changed')
      expect(await stores.organizations.rename(acme.uuid, 'New', undefined, somebody())).to.include({
        revision: 3,
      })
      const nobody = stores.organizations.rename('x', 'New', undefined, somebody())
      await expectRejection(nobody, 'NotFoundError', 'organization_not_found')
      const { data } = await stores.audit.list([acme.uuid], {}, { limit: 9 })
      expect(data.map(({ action, actor, details }) => [action, actor.name, details])).to.deep.equal([
        ['organization.changed', 'ops', { name: 'New' }],
        ['organization.changed', 'ada', { name: 'Acme' }],
        ['organization.created', 'ops', { name: 'Acme Ltd' }],
      ])
    })

    it('replaces approval rules at the expected revision and records them in the audit log', async () => {
      const { stores, acme } = subject()
      const rules = [ruleOf({ name: 'Two', approvals: 2 })]
      const changed = await stores.organizations.setApprovalRules(acme.uuid, rules, 1, somebody())
      expect(changed).to.deep.equal({ ...acme, approvalRules: rules, revision: 2 })
      const again = stores.organizations.setApprovalRules(acme.uuid, [], 1, somebody())
      await expectRejection(again, 'ConflictError', 'revision_changed')
      const none = await stores.organizations.setApprovalRules(acme.uuid, [], undefined, somebody())
      expect(none).to.deep.equal({ ...acme, revision: 3 })
      const { data } = await stores.audit.list([acme.uuid], {}, { limit: 2 })
      expect(data.map(({ details }) => details)).to.deep.equal([
        { approval_rules: [] },
        { approval_rules: rules },
      ])
    })

    it('refuses codes that would make alert ids ambiguous', async () => {
      const { stores } = subject()
      for (const code of ['', 'a-b', 'a b', 'ä', 'x'.repeat(33), "a';--"]) {
        await expectRejection(
          stores.organizations.create({ code, name: 'x' }, somebody()),
          'ValidationError',
          'invalid_code',
        )
      }
    })
  })
}
