import { execFileSync } from 'node:child_process'
import { expect } from 'chai'
import { mkdir, readFile, symlink, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PlaybookError } from '../../core/errors/playbook-error.ts'
import { playbookFilesIn } from '../../server/playbooks-folder/folder-files.ts'
import { openPlaybookLibrary, type PlaybookLibrary } from '../../core/investigation/playbook-library.ts'
import type { PlaybookOrigin } from '../../core/investigation/playbook-versions.ts'
import type { KnownNames } from '../../core/playbook/scope/context.ts'
import type { Log } from '../../core/ports/log.ts'
import type { OpenedStores } from '../contract/fixture.ts'
import { openTemporaryStores } from '../support/stores.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'
import { somebody } from '../support/somebody.ts'
import { buildCatalogue } from '../../core/registry/catalogue.ts'

const source = (name: string, output: number) => `apiVersion: tocsin/v1
name: ${name}
on: { alert: { type: phishing } }
steps:
  - return: { n: ${output} }
`

describe('the playbook library', () => {
  let folder: TemporaryFolder
  let opened: OpenedStores
  let logged: string[]
  let made: PlaybookOrigin

  beforeEach(async () => {
    folder = await makeTemporaryFolder()
    opened = await openTemporaryStores()
    logged = []
    const { uuid } = await opened.stores.organizations.create({ code: 'acme', name: 'Acme' }, somebody())
    made = { origin: 'made', organizationUuid: uuid }
  })

  afterEach(async () => {
    await opened.dispose()
    await folder.remove()
  })

  const write = (name: string, text: string) => writeFile(join(folder.path, `${name}.yaml`), text)

  function open(known?: () => Promise<KnownNames>): Promise<PlaybookLibrary> {
    const say = (_: unknown, message: string) => void logged.push(message)
    const log: Log = { debug: say, info: say, warn: say, error: say }
    const catalogue = buildCatalogue([])
    return openPlaybookLibrary({
      store: opened.stores.playbooks,
      catalogue,
      log,
      files: playbookFilesIn(folder.path),
      known,
    })
  }

  const names = (library: PlaybookLibrary) => library.authored().map((playbook) => playbook.name)

  it('publishes the files of the folder, but not their tests', async () => {
    await write('one', source('one', 1))
    await write('one.test', 'not a playbook')
    expect(names(await open())).to.deep.equal(['one'])
  })

  it('treats a missing folder as empty', async () => {
    await folder.remove()
    expect(names(await open())).to.deep.equal([])
  })

  it('keeps the last good version of an invalid file, and reports every problem', async () => {
    await write('one', source('one', 1))
    const [good] = (await open()).authored()
    await write('one', source('one', 1).replace('return', 'retrun'))
    const library = await open()
    expect(library.authored().map((playbook) => playbook.hash)).to.deep.equal([good?.hash])
    expect(logged.join('\n')).to.include("'retrun'").and.include('the last valid versions stay live')
  })

  it('refuses a file with unknown names, keeps its last good version, and publishes it once the names exist', async () => {
    const named = (provider: string, value: number) =>
      source('one', value).replace(/^on: .*$/m, `on: { alert: { type: t, provider: ${provider} } }`)
    await write('one', named('siem', 1))
    const providers = ['siem']
    const known = () => Promise.resolve({ connections: [], providers: [...providers] })
    const [good] = (await open(known)).authored()
    expect(good?.name).to.equal('one')
    await write('one', named('edr', 2))
    const library = await open(known)
    expect(library.authored().map(({ hash }) => hash)).to.deep.equal([good?.hash])
    expect(library.refused()).to.deep.equal([{ file: 'one.yaml', errors: 1 }])
    expect(logged.join('\n')).to.include("unknown provider 'edr'")
    await library.takeUpRefused()
    expect(library.newest('one')).to.equal(good?.hash)
    providers.push('edr')
    await library.takeUpRefused()
    expect(library.newest('one')).not.to.equal(good?.hash)
    expect(library.refused()).to.deep.equal([])
  })

  it('does not publish files with other problems then', async () => {
    await write('one', source('one', 1).replace('return', 'retrun'))
    const library = await open(() => Promise.resolve({ connections: [], providers: [] }))
    await write('one', source('one', 1))
    await library.takeUpRefused()
    expect(names(library)).to.deep.equal([])
  })

  it('uses the type of a folder entry, and treats an unreadable one as invalid', async () => {
    await write('one', source('one', 1))
    await mkdir(join(folder.path, 'folder.yaml'))
    await symlink(folder.path, join(folder.path, 'loop.yaml'))
    await symlink(folder.path, join(folder.path, 'loop'))
    await symlink(join(folder.path, 'nowhere'), join(folder.path, 'dangling.yaml'))
    execFileSync('mkfifo', [join(folder.path, 'pipe.yaml')])
    const library = await open()
    expect(names(library)).to.deep.equal(['one'])
    expect(library.refused()).to.deep.equal([{ file: 'dangling.yaml', errors: 1 }])
    expect(logged.join()).to.include('dangling.yaml:1:1 the file cannot be read: ENOENT')
  })

  it('does not publish an invalid new file, names it, and logs each problem on a line', async () => {
    await write('one', 'steps: 7')
    const library = await open()
    expect(names(library)).to.deep.equal([])
    expect(library.refused()).to.deep.equal([{ file: 'one.yaml', errors: logged.length }])
    for (const line of logged) expect(line).to.match(/^\/.*one\.yaml:1:\d+ [^\n]+$/)
  })

  it('logs the first few of many problems', async () => {
    await write(
      'one',
      `${source('one', 1)}${Array.from({ length: 50 }, (_, n) => `extra${n}: 1\n`).join('')}`,
    )
    expect((await open()).refused()).to.deep.equal([{ file: 'one.yaml', errors: 50 }])
    expect(logged).to.have.length(6)
    expect(logged.at(-1)).to.match(/45 more problems; run: tocsin validate /)
  })

  it('finds playbooks in subfolders, but not in hidden ones', async () => {
    for (const inner of ['deep', '..2026']) {
      await mkdir(join(folder.path, inner))
      await write(`${inner}/${inner === 'deep' ? 'two' : 'one'}`, source(inner === 'deep' ? 'two' : 'one', 1))
    }
    const library = await open()
    expect(names(library)).to.deep.equal(['two'])
    expect(library.refused()).to.deep.equal([])
  })

  it('uses the first of two files with one name and reports it', async () => {
    await write('a', source('same', 1))
    await write('b', source('same', 2))
    const library = await open()
    expect(library.authored().map(({ source }) => source)).to.deep.equal([source('same', 1)])
    expect(library.refused()).to.deep.equal([{ file: 'b.yaml', errors: 1 }])
    expect(logged.join('\n')).to.contain("a.yaml and b.yaml are both named 'same'")
    expect((await opened.stores.playbooks.find('all', 'same'))?.source).to.equal(source('same', 1))
  })

  const apply = (library: PlaybookLibrary, ...changes: Parameters<PlaybookLibrary['apply']>[0]) =>
    library.apply(changes, somebody()).then(
      (accepted) => accepted.map(({ playbook }) => playbook.name),
      (error: { readonly code?: string }) => error.code,
    )
  const onDisk = (name: string) => readFile(join(folder.path, `${name}.yaml`), 'utf8').catch(() => undefined)

  it('applies changes together: a caller with what it calls, and deletions', async () => {
    const calls = (name: string) => source(name, 1).replace(/- return.*/, '- call: inner')
    const inner = source('inner', 1).replace('{ alert: { type: phishing } }', '{ call: true }')
    await write('gone', source('gone', 1))
    const library = await open()
    const gone = library.published('gone')!
    const outcome = await apply(
      library,
      { name: 'outer', source: calls('outer'), seen: null },
      { name: 'inner', source: inner, seen: null },
      { name: 'gone', source: null, seen: gone },
    )
    expect(outcome).to.deep.equal(['outer', 'inner'])
    expect(names(library)).to.have.members(['outer', 'inner'])
    expect([await onDisk('outer'), await onDisk('inner'), await onDisk('gone')]).to.deep.equal([
      calls('outer'),
      inner,
      undefined,
    ])
    const deletion = { name: 'inner', source: null, seen: library.published('inner')! }
    expect(await apply(library, deletion), 'it is still called').to.equal('playbook_in_use')
    expect(await onDisk('inner')).to.equal(inner)
  })

  it('applies no change if one of them is refused', async () => {
    await write('one', source('one', 1))
    const library = await open()
    const seen = library.published('one')!
    const two = { name: 'two', source: source('two', 1), seen: null }
    expect(await apply(library, two, { name: 'one', source: 'steps: 7', seen })).to.equal('playbook_invalid')
    expect(await apply(library, two, { name: 'one', source: source('one', 2), seen: null })).to.equal(
      'revision_changed',
    )
    expect(names(library)).to.deep.equal(['one'])
    expect([await onDisk('one'), await onDisk('two')]).to.deep.equal([source('one', 1), undefined])
  })

  it('does not overwrite a file whose content is not published', async () => {
    await write('one', source('one', 1))
    await write('two', 'steps: 7')
    const library = await open()
    await write('one', source('one', 2))
    const seen = library.published('one')!
    expect(await apply(library, { name: 'one', source: source('one', 3), seen })).to.equal('revision_changed')
    expect(await apply(library, { name: 'two', source: source('two', 3), seen: null })).to.equal(
      'revision_changed',
    )
    expect([await onDisk('one'), await onDisk('two')]).to.deep.equal([source('one', 2), 'steps: 7'])
  })

  it('warns about two playbooks for the same alerts', async () => {
    await write('a', source('zebra', 1))
    await write('b', source('ant', 2))
    await write('c', source('apart', 3).replace('type: phishing', 'type: phishing, provider: SIEM'))
    const library = await open()
    expect(names(library)).to.have.length(3)
    expect(library.rivals().map(({ code }) => code)).to.deep.equal(['W701'])
    expect(logged.join('\n')).to.contain("a.yaml and b.yaml investigate the same alerts; 'ant' is used")
  })

  it('publishes nothing of a change that was made while the server was stopped, if a file has errors', async () => {
    await write('one', source('one', 1))
    await open()
    await write('one', 'steps: 7')
    await write('two', source('two', 2))
    const library = await open()
    expect(library.authored().map(({ source }) => source)).to.deep.equal([source('one', 1)])
    expect(library.refusedChange()).to.include({ reason: 'errors', changed: 2 })
    await write('one', source('one', 3))
    expect(names(await open())).to.have.members(['one', 'two'])
  })

  it('takes a removed playbook out of use, and still finds versions that runs need', async () => {
    await write('one', source('one', 1))
    const [playbook] = (await open()).authored()
    await unlink(join(folder.path, 'one.yaml'))
    const library = await open()
    expect(names(library)).to.deep.equal([])
    expect(await library.byHash(playbook?.hash ?? '')).to.have.property('name', 'one')
  })

  it('records in the audit log once that a file was removed, and again when it is back', async () => {
    const recorded = async () =>
      (await opened.stores.audit.list('all', {}, { limit: 50 })).data
        .filter(({ action }) => action.startsWith('playbook.'))
        .map(({ action, subject, actor }) => `${action} ${subject.name} ${actor.kind}`)
        .toReversed()
    const [put, removed] = ['playbook.put_in_force one server', 'playbook.removed one server']
    const path = join(folder.path, 'one.yaml')
    await write('one', source('one', 1))
    await open()
    await open()
    expect(await recorded()).to.deep.equal([put])
    await unlink(path)
    await open()
    await open()
    expect(await recorded(), 'once').to.deep.equal([put, removed])
    await write('one', source('one', 1))
    await open()
    expect(await recorded(), 'the same content').to.deep.equal([put, removed, put])
    await write('one', 'steps: 7')
    await open()
    expect(await recorded(), 'a file with mistakes is no removal').to.deep.equal([put, removed, put])
    const library = await open()
    await library.keep(source('two', 1), made)
    await unlink(path)
    await open()
    expect((await recorded()).slice(3), 'a generated playbook has no file').to.deep.equal([
      'playbook.put_in_force two server',
      removed,
    ])
  })

  it('finds every version by its hash and the newest by name', async () => {
    const library = await open()
    const first = await library.keep(source('one', 1), { origin: 'file' })
    const second = await library.keep(source('one', 2), { origin: 'file' })
    expect(first.hash).to.not.equal(second.hash)
    expect(await library.byHash(first.hash)).to.have.property('source', source('one', 1))
    expect(library.authored().map((playbook) => playbook.hash)).to.deep.equal([second.hash])
    expect(await opened.stores.playbooks.find('all', 'one')).to.have.property('hash', second.hash)
  })

  it('makes an older version the newest if it is stored again', async () => {
    const library = await open()
    const first = await library.keep(source('one', 1), made)
    await library.keep(source('one', 2), made)
    await library.keep(source('one', 1), made)
    expect(await opened.stores.playbooks.find('all', 'one')).to.have.property('hash', first.hash)
  })

  it('never chooses generated playbooks', async () => {
    const library = await open()
    await library.keep(source('one', 1), made)
    expect(names(library)).to.deep.equal([])
  })

  it('refuses an unknown hash and an invalid source', async () => {
    const library = await open()
    expect(await library.byHash('0'.repeat(64)).catch((error: unknown) => error)).to.have.property(
      'code',
      'playbook_not_found',
    )
    const refused = await library.keep('steps: 7', made).catch((error: unknown) => error)
    expect(refused).to.be.instanceOf(PlaybookError)
  })
})
