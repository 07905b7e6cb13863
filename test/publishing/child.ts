/** Applies a change of three playbooks, and kills itself with SIGKILL at the given place. */
import { openPlaybookLibrary } from '../../core/investigation/playbook-library.ts'
import { buildCatalogue } from '../../core/registry/catalogue.ts'
import type { PlaybookFiles } from '../../core/publishing/playbook-files.ts'
import { playbookFilesIn } from '../../server/playbooks-folder/folder-files.ts'
import { somebody } from '../support/somebody.ts'
import { openStoresIn } from '../support/stores.ts'

const [dataDir = '', folder = '', at = '', changes = ''] = process.argv.slice(2)
const stores = await openStoresIn(dataDir)
const kill = (): never => {
  process.kill(process.pid, 'SIGKILL')
  throw new Error('not killed')
}
const disk = playbookFilesIn(folder)
const files: PlaybookFiles = {
  ...disk,
  async write(writes) {
    if (at === 'before the files') kill()
    await disk.write(at === 'between the files' ? writes.slice(0, 1) : writes)
    if (at === 'between the files') kill()
  },
}
const log = { debug() {}, info() {}, warn() {}, error() {} }
const library = await openPlaybookLibrary({
  store: stores.playbooks,
  catalogue: buildCatalogue([]),
  log,
  files,
})
if (at === 'before the store') Object.assign(stores.playbooks, { publish: kill })
const given = JSON.parse(changes) as readonly { readonly name: string; readonly source: string | null }[]
await library.apply(
  given.map((change) => ({ ...change, seen: '*', publication: { reason: 'rule 7' } })),
  { ...somebody(), name: 'kim' },
)
