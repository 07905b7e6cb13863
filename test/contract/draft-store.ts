import { expect } from 'chai'
import { maxDrafts } from '../../core/draft/draft.ts'
import { someAuthor, somebody } from '../support/somebody.ts'
import { expectRejection, unknownUuid, type GetSubject } from './fixture.ts'

export function draftStoreContract(subject: GetSubject): void {
  describe('DraftStore', () => {
    const given = (name: string, changes = {}) => ({
      name,
      source: `name: ${name}\n`,
      baseHash: null,
      note: '',
      organizationUuid: null,
      ...changes,
    })
    const save = (name: string, seen: number | null | undefined = null, changes = {}, by = somebody()) =>
      subject().stores.drafts.save(given(name, changes), seen, by)
    const kim = { ...somebody(), name: 'kim' }

    it('keeps who began a draft and who changed it last', async () => {
      const { stores, clock } = subject()
      const first = await save('triage')
      const began = clock.nowMs
      clock.nowMs += 5
      const second = await save('triage', first.revision, { source: 'x', note: 'why', baseHash: 'b' }, kim)
      expect(second).to.deep.equal({
        ...given('triage', { source: 'x', note: 'why', baseHash: 'b' }),
        revision: second.revision,
        createdAt: began,
        createdBy: someAuthor(),
        changedAt: began + 5,
        changedBy: someAuthor('kim'),
      })
      expect(await stores.drafts.find('all', 'triage')).to.deep.equal(second)
      expect(second.revision).to.be.greaterThan(first.revision)
    })

    it('names who changed a draft when another revision was seen', async () => {
      const { revision } = await save('triage')
      await save('triage', revision, {}, kim)
      const stale = await expectRejection(save('triage', revision), 'ConflictError', 'revision_changed')
      expect(stale.message).to.match(/^kim saved a draft of 'triage' at \d{4}-/)
      await expectRejection(save('triage'), 'ConflictError', 'draft_exists')
      await subject().stores.drafts.save(given('triage'), undefined, somebody())
    })

    it('never uses a revision twice, so a discarded draft is not taken for its successor', async () => {
      const { stores } = subject()
      const { revision } = await save('triage')
      await stores.drafts.discard('all', 'triage', revision, somebody())
      await expectRejection(save('triage', revision), 'ConflictError', 'revision_changed')
      expect((await save('triage')).revision).to.be.greaterThan(revision)
      await expectRejection(
        stores.drafts.discard('all', 'triage', revision, somebody()),
        'ConflictError',
        'revision_changed',
      )
    })

    it('refuses to discard a draft that does not exist', async () => {
      const { stores } = subject()
      const discarded = stores.drafts.discard('all', 'nothing', undefined, somebody())
      await expectRejection(discarded, 'NotFoundError', 'draft_not_found')
    })

    it('shows the drafts of an organization only to its scope, and shared ones to all', async () => {
      const { stores, acme, globex, clock } = subject()
      await save('shared')
      clock.nowMs += 1
      const own = await save('own', null, { organizationUuid: acme.uuid })
      const names = async (scope: 'all' | readonly string[]) =>
        (await stores.drafts.list(scope)).map(({ name }) => name)
      expect(await names('all')).to.deep.equal(['own', 'shared'])
      expect(await names([acme.uuid])).to.deep.equal(['own', 'shared'])
      expect(await names([globex.uuid])).to.deep.equal(['shared'])
      expect(await stores.drafts.find([globex.uuid], 'own')).to.equal(undefined)
      const discarded = stores.drafts.discard([globex.uuid], 'own', own.revision, somebody())
      await expectRejection(discarded, 'NotFoundError', 'draft_not_found')
      const unknown = save('x', null, { organizationUuid: unknownUuid })
      await expectRejection(unknown, 'NotFoundError', 'organization_not_found')
    })

    it('records saved and discarded drafts', async () => {
      const { stores } = subject()
      const { revision } = await save('triage', null, { note: 'try it' }, kim)
      await stores.drafts.discard('all', 'triage', revision, kim)
      const { data } = await stores.audit.list('all', {}, { limit: 2 })
      expect(data.map(({ action, actor, subject: of }) => [action, actor.name, of.name])).to.deep.equal([
        ['playbook.draft_discarded', 'kim', 'triage'],
        ['playbook.draft_saved', 'kim', 'triage'],
      ])
      expect(data[1]?.details).to.deep.equal({ base_hash: null, note: 'try it' })
    })

    it('has a limit for each organization, and one for those of all', async () => {
      const { revision } = await save('draft-0')
      for (let n = 1; n < maxDrafts; n++) await save(`draft-${n}`)
      await expectRejection(save('more'), 'ConflictError', 'too_many_drafts')
      const draft = await save('draft-0', revision)
      const organizationUuid = subject().acme.uuid
      const own = await save('own', null, { organizationUuid })
      await expectRejection(save('own', own.revision), 'ConflictError', 'too_many_drafts')
      await save('draft-0', draft.revision, { organizationUuid })
      await save('own', own.revision)
    })
  })
}
