import { expect } from 'chai'
import { publishDraft } from '../../core/draft/publish-draft.ts'
import { openPlaybookLibrary } from '../../core/investigation/playbook-library.ts'
import { buildCatalogue } from '../../core/registry/catalogue.ts'
import { playbookFilesIn } from '../../server/playbooks-folder/folder-files.ts'
import { expectRejection } from '../contract/fixture.ts'
import { somebody } from '../support/somebody.ts'
import { openTemporaryStores } from '../support/stores.ts'

describe('publishing a draft', () => {
  it('keeps the draft, and no prepared change, when the playbooks folder cannot be written', async () => {
    const { stores, dispose } = await openTemporaryStores()
    try {
      const source = 'apiVersion: tocsin/v1\nname: hello\non: { manual: true }\nsteps:\n  - return: 1\n'
      const draft = { name: 'hello', source, baseHash: null, note: '', organizationUuid: null }
      await stores.drafts.save(draft, null, somebody())
      const playbooks = await openPlaybookLibrary({
        store: stores.playbooks,
        catalogue: buildCatalogue([]),
        log: { debug() {}, info() {}, warn() {}, error() {} },
        files: playbookFilesIn('/nowhere'),
      })
      const given = { name: 'hello', seen: undefined, reason: 'x', by: somebody(), publishes: 'all' } as const
      const published = publishDraft('all', given, { drafts: stores.drafts, playbooks })
      await expectRejection(published, 'ConflictError', 'playbooks_read_only')
      expect((await stores.drafts.find('all', 'hello'))?.source).to.equal(source)
      expect((await stores.playbooks.folder()).prepared).to.equal(undefined)
    } finally {
      await dispose()
    }
  })
})
