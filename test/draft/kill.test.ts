import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { openPlaybookLibrary } from '../../core/investigation/playbook-library.ts'
import { buildCatalogue } from '../../core/registry/catalogue.ts'
import { playbookFilesIn } from '../../server/playbooks-folder/folder-files.ts'
import type { Stores } from '../../core/ports/stores.ts'
import { someAuthor, somebody } from '../support/somebody.ts'
import { makeDataDir, openStoresIn } from '../support/stores.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'

const source = (value: number) =>
  `apiVersion: tocsin/v1\nname: hello\non: { manual: true }\nsteps:\n  - return: ${value}\n`

describe('a process killed while it publishes a draft', () => {
  let data: TemporaryFolder
  let playbooks: TemporaryFolder
  let stores: Stores | undefined
  const file = () => join(playbooks.path, 'hello.yaml')

  beforeEach(async () => {
    data = await makeTemporaryFolder()
    playbooks = await makeTemporaryFolder()
    await makeDataDir(data.path)
    await writeFile(file(), source(1))
    stores = await openStoresIn(data.path)
    const live = (await open(stores)).newest('hello') ?? ''
    const draft = { name: 'hello', source: source(2), baseHash: live, note: '', organizationUuid: null }
    await stores.drafts.save(draft, null, { ...somebody(), name: 'eve' })
    await stores.close()
    stores = undefined
  })
  afterEach(async () => {
    await stores?.close()
    await data.remove()
    await playbooks.remove()
  })

  const log = { debug() {}, info() {}, warn() {}, error() {} }
  const open = ({ playbooks: store }: Stores) =>
    openPlaybookLibrary({ store, catalogue: buildCatalogue([]), log, files: playbookFilesIn(playbooks.path) })

  async function kill(at: string): Promise<Stores> {
    const script = fileURLToPath(new URL('child.ts', import.meta.url))
    const child = spawn(process.execPath, [script, data.path, playbooks.path, at], {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    const [, signal] = await once(child, 'exit')
    expect(signal).to.equal('SIGKILL')
    return (stores = await openStoresIn(data.path))
  }

  it('has published it with its author and reason after the next start, if the file was written', async () => {
    const opened = await kill('before the store')
    expect(await readFile(file(), 'utf8')).to.equal(source(2))
    const library = await open(opened)
    const found = await opened.playbooks.find('all', 'hello')
    expect(found).to.deep.include({ source: source(2), hash: library.newest('hello'), draft: null })
    expect(found?.putInForce).to.deep.include({ by: someAuthor('kim'), reason: 'fewer questions' })
    const [entry] = (await opened.audit.list('all', {}, { limit: 1 })).data
    expect(entry).to.deep.include({ action: 'playbook.put_in_force', actor: someAuthor('kim') })
    expect(entry?.details).to.deep.include({ reason: 'fewer questions', draft_by: someAuthor('eve') })
    expect((await opened.playbooks.folder()).prepared).to.equal(undefined)
  })

  it('keeps the draft, if the file was not written, and forgets who was about to publish it', async () => {
    const opened = await kill('before the file')
    expect(await readFile(file(), 'utf8')).to.equal(source(1))
    await open(opened)
    expect((await opened.drafts.find('all', 'hello'))?.source).to.equal(source(2))
    expect((await opened.playbooks.find('all', 'hello'))?.source).to.equal(source(1))
    // The same text comes from elsewhere later.
    await writeFile(file(), source(2))
    await open(opened)
    const { putInForce } = (await opened.playbooks.find('all', 'hello')) ?? {}
    expect(putInForce).to.deep.include({ reason: null })
    expect(putInForce?.by.name).to.equal('server')
  })
})
