import { expect } from 'chai'
import { unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PlaybookError } from '../../core/errors/playbook-error.ts'
import {
  openPlaybookLibrary,
  type PlaybookLibrary,
  type PlaybookOrigin,
} from '../../core/investigation/playbook-library.ts'
import type { Log } from '../../core/ports.ts'
import { buildCatalogue } from '../../core/registry/build-catalogue.ts'
import type { OpenedStores } from '../contract/fixture.ts'
import { openTemporaryStores } from '../sqlite/open-stores.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'

const source = (name: string, output: number) => `apiVersion: tocsin/v1
name: ${name}
on: { alert: { type: phishing } }
steps:
  - return: { n: ${output} }
`

describe('playbook library', () => {
  let folder: TemporaryFolder
  let opened: OpenedStores
  let logged: string[]
  let made: PlaybookOrigin

  beforeEach(async () => {
    folder = await makeTemporaryFolder()
    opened = await openTemporaryStores()
    logged = []
    const { uuid } = await opened.stores.organizations.create({ code: 'acme', name: 'Acme' })
    made = { origin: 'made', organizationUuid: uuid }
  })

  afterEach(async () => {
    await opened.dispose()
    await folder.remove()
  })

  const write = (name: string, text: string) => writeFile(join(folder.path, `${name}.yaml`), text)

  function open(): Promise<PlaybookLibrary> {
    const say = (_: unknown, message: string) => void logged.push(message)
    const log: Log = { debug: say, info: say, warn: say, error: say }
    const catalogue = buildCatalogue([])
    return openPlaybookLibrary({ store: opened.stores.playbooks, catalogue, log, folder: folder.path })
  }

  const names = (library: PlaybookLibrary) => library.written().map((playbook) => playbook.name)

  it('puts the files of the folder in force, and not their tests', async () => {
    await write('one', source('one', 1))
    await write('one.test', 'not a playbook')
    expect(names(await open())).to.deep.equal(['one'])
  })

  it('takes a folder that is not there for an empty one', async () => {
    await folder.remove()
    expect(names(await open())).to.deep.equal([])
  })

  it('keeps the last good version of a file with mistakes, and shows every mistake', async () => {
    await write('one', source('one', 1))
    const [good] = (await open()).written()
    await write('one', source('one', 1).replace('return', 'retrun'))
    const library = await open()
    expect(library.written().map((playbook) => playbook.hash)).to.deep.equal([good?.hash])
    expect(logged.join('\n')).to.include("'retrun'").and.include('the last good version stays in force')
  })

  it('leaves a new file with mistakes out of force', async () => {
    await write('one', 'steps: 7')
    expect(names(await open())).to.deep.equal([])
    expect(logged).to.not.be.empty
  })

  it('puts a file that was removed out of force, and still finds the version that runs hold on to', async () => {
    await write('one', source('one', 1))
    const [playbook] = (await open()).written()
    await unlink(join(folder.path, 'one.yaml'))
    const library = await open()
    expect(names(library)).to.deep.equal([])
    expect(await library.byHash(playbook?.hash ?? '')).to.have.property('name', 'one')
  })

  it('finds every version by its hash, the newest by its name', async () => {
    const library = await open()
    const first = await library.keep(source('one', 1), { origin: 'file' })
    const second = await library.keep(source('one', 2), { origin: 'file' })
    expect(first.hash).to.not.equal(second.hash)
    expect(await library.byHash(first.hash)).to.have.property('source', source('one', 1))
    expect(library.written().map((playbook) => playbook.hash)).to.deep.equal([second.hash])
    expect(await opened.stores.playbooks.find('all', 'one')).to.have.property('hash', second.hash)
  })

  it('makes an older version the newest again when it is kept again', async () => {
    const library = await open()
    const first = await library.keep(source('one', 1), made)
    await library.keep(source('one', 2), made)
    await library.keep(source('one', 1), made)
    expect(await opened.stores.playbooks.find('all', 'one')).to.have.property('hash', first.hash)
  })

  it('never chooses among made playbooks', async () => {
    const library = await open()
    await library.keep(source('one', 1), made)
    expect(names(library)).to.deep.equal([])
  })

  it('refuses a hash that nobody kept, and a source with mistakes', async () => {
    const library = await open()
    expect(await library.byHash('0'.repeat(64)).catch((error: unknown) => error)).to.have.property(
      'code',
      'playbook_not_found',
    )
    const refused = await library.keep('steps: 7', made).catch((error: unknown) => error)
    expect(refused).to.be.instanceOf(PlaybookError)
  })
})
