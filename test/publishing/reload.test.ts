import { expect } from 'chai'
import { execFileSync } from 'node:child_process'
import { mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openPlaybookLibrary, type PlaybookLibrary } from '../../core/investigation/playbook-library.ts'
import type { KnownNames } from '../../core/playbook/scope/context.ts'
import { buildCatalogue } from '../../core/registry/catalogue.ts'
import { playbookFilesIn } from '../../server/playbooks-folder/folder-files.ts'
import type { OpenedStores } from '../contract/fixture.ts'
import { somebody } from '../support/somebody.ts'
import { openTemporaryStores } from '../support/stores.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'

const source = (name: string, output: number, on = 'manual: true', step = 'return: { n: OUT }') =>
  `apiVersion: tocsin/v1\nname: ${name}\non: { ${on} }\nsteps:\n  - ${step.replace('OUT', String(output))}\n`

describe('a reload of the playbooks folder', () => {
  let folder: TemporaryFolder
  let opened: OpenedStores
  let logged: string[]

  beforeEach(async () => {
    folder = await makeTemporaryFolder()
    await mkdir(join(folder.path, 'playbooks'))
    opened = await openTemporaryStores()
    logged = []
  })
  afterEach(async () => {
    await opened.dispose()
    await folder.remove()
  })

  const at = (file: string) => join(folder.path, 'playbooks', file)
  const write = (name: string, text: string) => writeFile(at(`${name}.yaml`), text)
  function open(known?: () => Promise<KnownNames>): Promise<PlaybookLibrary> {
    const say = (_: unknown, message: string) => void logged.push(message)
    const log = { debug: say, info: say, warn: say, error: say }
    const files = playbookFilesIn(at(''))
    const store = opened.stores.playbooks
    return openPlaybookLibrary({ store, catalogue: buildCatalogue([]), log, files, known })
  }
  const live = (library: PlaybookLibrary) =>
    Object.fromEntries(library.authored().map(({ name, source: text }) => [name, /n: (\d+)/.exec(text)?.[1]]))
  const audit = async () =>
    (await opened.stores.audit.list('all', {}, { limit: 50 })).data
      .filter(({ action }) => action.startsWith('playbook.'))
      .map(({ action, subject, actor, details }) => ({ action, name: subject.name, by: actor.name, details }))
      .toReversed()

  it('publishes changed and new files, and ends playbooks whose file was deleted', async () => {
    for (const name of ['one', 'two', 'three']) await write(name, source(name, 1))
    const library = await open()
    const two = library.published('two')!
    await write('one', source('one', 2))
    await rm(at('two.yaml'))
    await write('four', source('four', 1))
    const reloaded = await library.reload()
    expect(reloaded).to.deep.equal({ refused: undefined, published: ['four', 'one'], removed: ['two'] })
    expect(live(library)).to.deep.equal({ one: '2', three: '1', four: '1' })
    expect(await library.byHash(two), 'for active runs').to.have.property('name', 'two')
    expect((await audit()).slice(3).map(({ action, name, by }) => `${action} ${name} ${by}`)).to.deep.equal([
      'playbook.put_in_force four server',
      'playbook.put_in_force one server',
      'playbook.removed two server',
    ])
    expect(await library.reload()).to.deep.include({ published: [], removed: [] })
  })

  it('publishes nothing if one changed file has errors, and everything once it is corrected', async () => {
    await write('one', source('one', 1))
    await write('gone', source('gone', 1))
    const library = await open()
    await write('one', source('one', 2))
    await write('two', 'steps: 7')
    await rm(at('gone.yaml'))
    const { refused } = await library.reload()
    expect(refused).to.include({ reason: 'errors', changed: 3 })
    expect(refused?.problems[0]).to.deep.include({ file: at('two.yaml'), line: 1 })
    expect(library.refusedChange()).to.equal(refused)
    expect(live(library)).to.deep.equal({ one: '1', gone: '1' })
    const lines = logged.length
    await library.reload()
    expect(logged.slice(lines), 'logged once').to.deep.equal([])
    await write('two', source('two', 2))
    await library.reload()
    expect(live(library)).to.deep.equal({ one: '2', two: '2' })
    expect(library.refusedChange()).to.equal(undefined)
  })

  it('keeps the published set over a restart while the folder has errors', async () => {
    await write('one', source('one', 1))
    await open()
    await write('one', source('one', 2))
    await write('two', 'steps: 7')
    expect(live(await open())).to.deep.equal({ one: '1' })
    expect(live(await open())).to.deep.equal({ one: '1' })
  })

  it('does not publish two files with the same name, whichever of them is new', async () => {
    await write('m', source('same', 1))
    const library = await open()
    for (const file of ['a', 'z']) {
      await write(file, source('same', 2))
      expect(
        (await library.reload()).refused?.problems.map(({ code }) => code),
        file,
      ).to.deep.equal(['E701'])
      await rm(at(`${file}.yaml`))
    }
    expect((await library.reload()).refused).to.equal(undefined)
    expect(live(library)).to.deep.equal({ same: '1' })
  })

  it('does not delete a playbook that another one calls', async () => {
    await write('inner', source('inner', 1, 'call: true'))
    await write('outer', source('outer', 1, 'manual: true', 'call: inner'))
    const library = await open()
    await rm(at('inner.yaml'))
    const { refused } = await library.reload()
    expect(refused?.problems.map(({ file }) => file)).to.deep.equal([at('outer.yaml')])
    await rm(at('outer.yaml'))
    await write('other', source('other', 1))
    expect((await library.reload()).removed).to.have.members(['inner', 'outer'])
  })

  it('is not stopped by a file that was refused before', async () => {
    await write('broken', 'steps: 7')
    await write('one', source('one', 1))
    const library = await open()
    await write('one', source('one', 2))
    expect((await library.reload()).refused).to.equal(undefined)
    expect(live(library)).to.deep.equal({ one: '2' })
    expect(library.refused()).to.deep.equal([{ file: 'broken.yaml', errors: library.refused()[0]!.errors }])
  })

  it('keeps everything if the folder is missing or empty, as when a volume is not mounted', async () => {
    await write('one', source('one', 1))
    const library = await open()
    await rename(at(''), join(folder.path, 'elsewhere'))
    expect((await library.reload()).refused).to.include({ reason: 'missing' })
    await mkdir(at(''))
    expect((await library.reload()).refused).to.include({ reason: 'empty' })
    expect(live(library)).to.deep.equal({ one: '1' })
    await rm(at(''), { recursive: true })
    await rename(join(folder.path, 'elsewhere'), at(''))
    expect((await library.reload()).refused).to.equal(undefined)
  })

  it('waits for git, and records the commit', async () => {
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], { cwd: at('') })
        .toString()
        .trim()
    git('init', '-q', '-b', 'main')
    await write('one', source('one', 1))
    git('add', '.')
    git('commit', '-qm', 'one')
    const library = await open()
    await write('one', source('one', 2))
    await writeFile(at('.git/index.lock'), '')
    expect((await library.reload()).refused).to.include({ reason: 'changing' })
    await rm(at('.git/index.lock'))
    git('commit', '-qam', 'two')
    const second = git('rev-parse', 'HEAD')
    await library.reload()
    expect((await audit()).at(-1)?.details).to.include({ revision: second })
    git('pack-refs', '--all')
    git('checkout', '-q', 'HEAD~1')
    const first = git('rev-parse', 'HEAD')
    await library.reload()
    expect((await audit()).at(-1)?.details).to.include({ revision: first })
    git('checkout', '-q', 'main')
    await library.reload()
    expect((await audit()).at(-1)?.details).to.include({ revision: second })
    expect(live(library)).to.deep.equal({ one: '2' })
  })

  it('follows the swap of a link, as in a ConfigMap of Kubernetes', async () => {
    for (const version of [1, 2]) {
      await mkdir(at(`..${version}`))
      await writeFile(at(`..${version}/one.yaml`), source('one', version))
    }
    await symlink('..1', at('..data'))
    await symlink('..data/one.yaml', at('one.yaml'))
    const library = await open()
    const files = playbookFilesIn(at(''))
    const before = await files.state()
    await symlink('..2', at('..next'))
    await rename(at('..next'), at('..data'))
    expect((await files.state()).fingerprint).not.to.equal(before.fingerprint)
    await library.reload()
    expect(live(library)).to.deep.equal({ one: '2' })
  })

  it('refuses files that are too large, binary, unreadable or loops', async () => {
    await write('one', source('one', 1))
    const library = await open()
    const bad: Readonly<Record<string, () => Promise<void>>> = {
      large: () => writeFile(at('bad.yaml'), Buffer.alloc(10_000_000, '#')),
      binary: () => writeFile(at('bad.yaml'), Buffer.from([0, 1, 2, 255, 254])),
      loop: () => symlink('bad.yaml', at('bad.yaml')),
    }
    for (const [kind, make] of Object.entries(bad)) {
      await make()
      const { refused } = await library.reload()
      expect(
        refused?.problems.map(({ file }) => file),
        kind,
      ).to.include(at('bad.yaml'))
      await rm(at('bad.yaml'))
    }
    expect(live(library)).to.deep.equal({ one: '1' })
  })

  it('publishes a change that waited for a name once it exists', async () => {
    await write('one', source('one', 1))
    const providers = ['siem']
    const library = await open(() => Promise.resolve({ connections: [], providers: [...providers] }))
    await write('one', source('one', 2, 'alert: { type: t, provider: edr }'))
    expect((await library.reload()).refused?.problems.map(({ code }) => code)).to.deep.equal(['E322'])
    await library.takeUpRefused()
    expect(live(library)).to.deep.equal({ one: '1' })
    providers.push('edr')
    await library.takeUpRefused()
    expect(live(library)).to.deep.equal({ one: '2' })
  })

  it('loses nothing if a playbook is edited over the API while its file changes', async () => {
    await write('one', source('one', 1))
    const library = await open()
    const seen = library.published('one')!
    await write('one', source('one', 2))
    const edit = library.apply([{ name: 'one', source: source('one', 3), seen }], somebody())
    expect(await edit.catch((error: { code: string }) => error.code)).to.equal('revision_changed')
    await library.reload()
    const stale = library.apply([{ name: 'one', source: source('one', 3), seen }], somebody())
    expect(await stale.catch((error: { code: string }) => error.code)).to.equal('revision_changed')
    expect(await readFile(at('one.yaml'), 'utf8')).to.equal(source('one', 2))
    const now = library.published('one')!
    await library.apply([{ name: 'one', source: source('one', 3), seen: now }], somebody())
    expect(await library.reload()).to.deep.equal({ refused: undefined, published: [], removed: [] })
    expect(live(library)).to.deep.equal({ one: '3' })
  })
})
