/**
 * Publishes the draft `hello` of a data directory, and kills itself with SIGKILL right before the file is written or before the version is
 * stored.
 */
import { publishDraft } from '../../core/draft/publish-draft.ts'
import { openPlaybookLibrary } from '../../core/investigation/playbook-library.ts'
import { buildCatalogue } from '../../core/registry/catalogue.ts'
import { playbookFilesIn } from '../../server/playbooks-folder/folder-files.ts'
import { somebody } from '../support/somebody.ts'
import { openStoresIn } from '../support/stores.ts'

const [dataDir = '', folder = '', at = ''] = process.argv.slice(2)
const stores = await openStoresIn(dataDir)
const kill = (): never => {
  process.kill(process.pid, 'SIGKILL')
  throw new Error('not killed')
}
const silent = { debug() {}, info() {}, warn() {}, error() {} }
const library = await openPlaybookLibrary({
  store: stores.playbooks,
  catalogue: buildCatalogue([]),
  log: silent,
  files: playbookFilesIn(folder),
})
const { prepare } = stores.playbooks
Object.assign(stores.playbooks, {
  async prepare(change: Parameters<typeof prepare>[0]) {
    const isPrepared = await prepare.call(stores.playbooks, change)
    if (at === 'before the file') kill()
    return isPrepared
  },
  publish: kill,
})
const given = {
  name: 'hello',
  seen: undefined,
  reason: 'fewer questions',
  by: { ...somebody(), name: 'kim' },
  publishes: 'all',
} as const
await publishDraft('all', given, { drafts: stores.drafts, playbooks: library })
