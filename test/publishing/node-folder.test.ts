import { mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { ConflictError } from '../../core/errors/errors.ts'
import { openPlaybookLibrary, type PlaybookLibrary } from '../../core/investigation/playbook-library.ts'
import type { PlaybookFiles } from '../../core/publishing/playbook-files.ts'
import { buildCatalogue } from '../../core/registry/catalogue.ts'
import { playbookFilesIn } from '../../server/playbooks-folder/folder-files.ts'
import { somebody } from '../support/somebody.ts'
import { openTemporaryStores, type TemporaryStores } from '../support/stores.ts'

type Node = 'a' | 'b'

const source = (name: string, n: number, rest = `return: { n: ${n} }`) =>
  `apiVersion: tocsin/v1\nname: ${name}\non: { manual: true, call: true }\nsteps:\n  - ${rest}\n`

describe('the playbooks folders of two nodes', () => {
  let opened: TemporaryStores
  /** Has the job to read its folder. */
  let reader: Node
  /** Called before `b` looks at the state of its folder. */
  let onState: () => Promise<unknown>
  /** Called when `a` has written its folder. */
  let onWritten: () => Promise<unknown>
  /** Whose folder cannot be written. */
  let readOnly: Node | undefined
  let logged: string[]

  beforeEach(async () => {
    opened = await openTemporaryStores()
    reader = 'a'
    readOnly = undefined
    onState = async () => {}
    onWritten = async () => {}
    logged = []
    for (const node of ['a', 'b'] as const) await mkdir(at(node))
    for (const node of ['a', 'b'] as const)
      for (const name of ['one', 'two']) await write(node, name, source(name, 1))
  })
  afterEach(() => opened.dispose())

  const at = (node: Node, file = '') => join(opened.folder.path, `playbooks-${node}`, file)
  const write = (node: Node, name: string, text: string) => writeFile(at(node, `${name}.yaml`), text)
  const remove = (node: Node, name: string) => rm(at(node, `${name}.yaml`))

  function open(node: Node): Promise<PlaybookLibrary> {
    const say = (_: unknown, message: string) => void logged.push(message)
    const disk = playbookFilesIn(at(node))
    const files: PlaybookFiles = {
      ...disk,
      async state() {
        if (node === 'b') await onState()
        return await disk.state()
      },
      async write(writes) {
        if (readOnly === node) throw new ConflictError('playbooks_read_only', 'the folder is read-only')
        await disk.write(writes)
        if (node === 'a') await onWritten()
      },
    }
    return openPlaybookLibrary({
      store: opened.stores.playbooks,
      catalogue: buildCatalogue([]),
      log: { debug: say, info: say, warn: say, error: say },
      files,
      exclusive: { isShared: true, isMine: async () => reader === node },
    })
  }
  /** `a` reads the folder, and `b` follows. */
  const openBoth = async () => [await open('a'), await open('b')] as const
  const by = { ...somebody(), name: 'kim' }
  const edit = (library: PlaybookLibrary, name: string, n: number | null) =>
    library.apply([{ name, source: n === null ? null : source(name, n), seen: '*' }], by)
  /** The other node is lost. */
  async function takeOver(library: PlaybookLibrary) {
    reader = 'b'
    return await library.reload()
  }
  const live = (library: PlaybookLibrary) =>
    Object.fromEntries(library.authored().map((each) => [each.name, /n: (\d+)/.exec(each.source)?.[1]]))
  async function files(node: Node) {
    const found: Record<string, string | undefined> = {}
    for (const file of await readdir(at(node)))
      if (file.endsWith('.yaml'))
        found[file.slice(0, -5)] = /n: (\d+)/.exec(await readFile(at(node, file), 'utf8'))?.[1]
    return found
  }
  const nothing = { refused: undefined, published: [], removed: [] }

  for (const when of ['when it takes over', 'at its start'])
    it(`do not undo what people published if one is read-only, ${when}, and say what is outdated`, async () => {
      const a = await open('a')
      let b = await open('b')
      readOnly = 'b'
      await edit(a, 'one', 2)
      await edit(a, 'two', null)
      await edit(a, 'three', 1)
      expect(await b.follow()).to.equal(true)
      reader = 'b'
      if (when === 'at its start') b = await open('b')
      expect(await b.reload()).to.deep.equal(nothing)
      expect(live(b)).to.deep.equal({ one: '2', three: '1' })
      expect(await files('b')).to.deep.equal({ one: '1', two: '1' })
      expect(b.outdated()).to.deep.equal([
        { file: 'one.yaml', playbook: 'one', changedBy: 'kim' },
        { file: 'two.yaml', playbook: 'two', changedBy: 'kim' },
        { file: 'three.yaml', playbook: 'three', changedBy: 'kim' },
      ])
      expect(b.folderReport()?.outdated).to.deep.equal(b.outdated())
      expect(logged.filter((line) => line.includes('cannot be replaced')).length).to.be.within(3, 6)
      // Other changes of the folder are published beside them.
      await write('b', 'four', source('four', 1, 'call: three'))
      expect((await b.reload()).published).to.deep.equal(['four'])
      readOnly = undefined
      expect(await b.reload()).to.deep.equal(nothing)
      expect(await files('b')).to.deep.equal({ one: '2', three: '1', four: undefined })
      expect([b.outdated(), b.folderReport()]).to.deep.equal([[], undefined])
      await edit(b, 'one', 3)
      expect(live(b)).to.deep.include({ one: '3' })
    })

  it('are not edited where the file holds another playbook', async () => {
    const [a, b] = await openBoth()
    await edit(a, 'two', 2)
    await b.follow()
    await write('b', 'one', source('two', 1))
    expect(await edit(b, 'one', 2).catch(String)).to.include('holds another version')
  })

  it('lose no edit to one on the other node that has not heard of it', async () => {
    const [a, b] = await openBoth()
    const seen = b.published('one')!
    await edit(a, 'one', 2)
    const refusal = await b.apply([{ name: 'one', source: source('one', 3), seen }], by).catch(String)
    expect(refusal).to.include('has another published version')
    expect([await b.follow(), await b.follow()]).to.deep.equal([true, false])
    expect(await files('b')).to.deep.equal({ one: '2', two: '1' })
  })

  it('do not undo an edit while the other node publishes its folder', async () => {
    const [a, b] = await openBoth()
    await write('a', 'one', source('one', 2))
    await a.reload()
    await b.follow()
    let states = 0
    onState = async () => {
      if (++states === 2) await edit(a, 'one', 3)
    }
    expect((await takeOver(b)).refused).to.include({ reason: 'changing' })
    expect(await b.reload()).to.deep.equal(nothing)
    expect([live(b), await files('b')]).to.deep.equal([
      { one: '3', two: '1' },
      { one: '3', two: '1' },
    ])
  })

  it('are edited also where the file holds an earlier version', async () => {
    const [a, b] = await openBoth()
    readOnly = 'b'
    await edit(a, 'one', 2)
    await b.follow()
    readOnly = undefined
    await edit(b, 'one', 3)
    await write('a', 'two', source('two', 2))
    await a.reload()
    await edit(b, 'two', 3)
    expect([live(b), await files('b')]).to.deep.equal([
      { one: '3', two: '3' },
      { one: '3', two: '3' },
    ])
  })

  it('keep a new file by hand, which is published by the node that takes over', async () => {
    const [a, b] = await openBoth()
    await write('b', 'one', source('one', 7))
    await edit(a, 'one', 2)
    await b.follow()
    expect(await files('b')).to.deep.include({ one: '7' })
    expect((await takeOver(b)).published).to.deep.equal(['one'])
    expect(live(b)).to.deep.include({ one: '7' })
  })

  it('keep a new file by hand that defines a playbook under another name', async () => {
    const [a, b] = await openBoth()
    await write('b', 'other', source('three', 7))
    await edit(a, 'three', 1)
    await b.follow()
    expect(await files('b')).to.deep.equal({ one: '1', two: '1', other: '7' })
    expect((await takeOver(b)).published).to.deep.equal(['three'])
  })

  it('keep a playbook whose place another file has', async () => {
    const [a, b] = await openBoth()
    await write('b', 'three', source('other', 7))
    await edit(a, 'three', 1)
    await b.follow()
    expect(await takeOver(b)).to.deep.equal({ ...nothing, published: ['other'] })
    expect(live(await open('b'))).to.deep.equal({ one: '1', two: '1', three: '1', other: '7' })
    expect(await files('b')).to.deep.equal({ one: '1', two: '1', three: '7' })
  })

  it('follow an edit of a version that was deployed to both', async () => {
    const [a, b] = await openBoth()
    for (const node of ['a', 'b'] as const) await write(node, 'one', source('one', 2))
    await write('b', 'one', source('one', 1))
    await a.reload()
    await b.follow()
    await write('b', 'one', source('one', 2))
    await edit(a, 'one', 3)
    await b.follow()
    expect(await files('b')).to.deep.equal({ one: '3', two: '1' })
  })

  it('are written after a change that another node is publishing', async () => {
    const [a, b] = await openBoth()
    await edit(a, 'one', 2)
    await opened.stores.playbooks.prepare({ by, files: [] })
    await b.follow()
    expect(await files('b')).to.deep.equal({ one: '1', two: '1' })
    await opened.stores.playbooks.prepare(null)
    await b.follow()
    expect(await files('b')).to.deep.equal({ one: '2', two: '1' })
  })

  for (const isHindered of [false, true])
    it(`do not undo an edit if an earlier version arrives late on the other node${isHindered ? ', which cannot publish at first' : ''}`, async () => {
      const [a, b] = await openBoth()
      await write('a', 'one', source('one', 2))
      await a.reload()
      await edit(a, 'one', 3)
      await b.follow()
      await write('b', 'one', source('one', 2))
      await edit(a, 'two', 2)
      await b.follow()
      expect(await files('b'), 'not replaced beside the other node').to.deep.equal({ one: '2', two: '2' })
      if (isHindered) {
        readOnly = 'b'
        await write('b', 'broken', 'steps: 7')
        expect((await takeOver(b)).refused).to.include({ reason: 'errors' })
        await remove('b', 'broken')
        expect(await b.reload()).to.deep.equal(nothing)
        readOnly = undefined
      }
      expect(await takeOver(b)).to.deep.equal(nothing)
      expect([live(b), await files('b')]).to.deep.equal([
        { one: '3', two: '2' },
        { one: '3', two: '2' },
      ])
    })

  it('publish an earlier version and a deletion by hand on the node that reads', async () => {
    const [a, b] = await openBoth()
    await edit(a, 'one', 2)
    await edit(a, 'two', 2)
    await write('a', 'one', source('one', 1))
    await remove('a', 'two')
    await write('a', 'broken', 'steps: 7')
    expect((await a.reload()).refused).to.include({ reason: 'errors' })
    expect(live(a)).to.deep.equal({ one: '2', two: '2' })
    expect(await edit(a, 'one', 3).catch(String), 'it waits').to.include('holds another version')
    await remove('a', 'broken')
    expect(await a.reload()).to.deep.equal({ ...nothing, published: ['one'], removed: ['two'] })
    expect(live(a)).to.deep.equal({ one: '1' })
    await edit(b, 'two', 3)
    await a.follow()
    expect(await a.reload()).to.deep.equal(nothing)
    expect([live(a), await files('a')]).to.deep.equal([
      { one: '1', two: '3' },
      { one: '1', two: '3' },
    ])
  })

  it('are published as they are where nobody edited, during a rolling deployment', async () => {
    const [a, b] = await openBoth()
    await write('a', 'one', source('one', 2))
    await remove('a', 'two')
    await a.reload()
    await b.follow()
    expect([live(b), await files('b')]).to.deep.equal([{ one: '2' }, { one: '1', two: '1' }])
    expect((await takeOver(b)).published).to.deep.equal(['one', 'two'])
    await write('b', 'one', source('one', 2))
    await remove('b', 'two')
    expect(await b.reload()).to.deep.equal({ ...nothing, published: ['one'], removed: ['two'] })
  })

  it('lose nothing if the volume of one is not mounted', async () => {
    const [a, b] = await openBoth()
    await rename(at('b'), join(opened.folder.path, 'elsewhere'))
    await mkdir(at('b'))
    await edit(a, 'three', 1)
    await b.follow()
    expect(await files('b')).to.deep.equal({})
    for (let time = 0; time < 2; time++) expect((await takeOver(b)).refused).to.include({ reason: 'empty' })
    expect(live(b)).to.deep.equal({ one: '1', two: '1', three: '1' })
    await rm(at('b'), { recursive: true })
    expect((await b.reload()).refused).to.include({ reason: 'missing' })
    await rename(join(opened.folder.path, 'elsewhere'), at('b'))
    expect(await b.reload()).to.deep.equal(nothing)
    expect(await files('b')).to.deep.equal({ one: '1', two: '1', three: '1' })
  })

  it('lose nothing if the volume of one was never mounted', async () => {
    for (const name of ['one', 'two']) await remove('b', name)
    const [a, b] = await openBoth()
    await edit(a, 'one', 2)
    await b.follow()
    expect(await files('b')).to.deep.equal({})
    expect((await takeOver(b)).refused).to.include({ reason: 'empty' })
    expect(live(b)).to.deep.equal({ one: '2', two: '1' })
  })

  it('are filled if people have published everything', async () => {
    for (const node of ['a', 'b'] as const) for (const name of ['one', 'two']) await remove(node, name)
    const [a, b] = await openBoth()
    await edit(a, 'three', 1)
    await b.follow()
    expect(await files('b')).to.deep.equal({ three: '1' })
    await remove('b', 'three')
    expect((await takeOver(b)).refused).to.include({ reason: 'empty' })
    expect(live(await open('b'))).to.deep.equal({ three: '1' })
    expect(await files('b')).to.deep.equal({ three: '1' })
  })

  it('have another layout, and no file is written through a link', async () => {
    await mkdir(at('a', 'team'))
    await writeFile(at('a', 'team/three.yaml'), source('three', 1))
    await mkdir(at('b', 'own'))
    await rename(at('b', 'one.yaml'), at('b', 'own/first.yaml'))
    await mkdir(join(opened.folder.path, 'outside'))
    await symlink(join(opened.folder.path, 'outside'), at('b', 'team'))
    const [a, b] = await openBoth()
    await edit(a, 'one', 2)
    await edit(a, 'three', 2)
    await b.follow()
    expect(await readFile(at('b', 'own/first.yaml'), 'utf8')).to.equal(source('one', 2))
    expect(await files('b')).to.deep.equal({ two: '1', three: '2' })
    expect(await readdir(join(opened.folder.path, 'outside'))).to.deep.equal([])
    expect(await takeOver(b)).to.deep.equal(nothing)
    readOnly = 'b'
    await edit(a, 'one', 3)
    await b.follow()
    readOnly = undefined
    await edit(b, 'one', 4)
    expect(await readFile(at('b', 'own/first.yaml'), 'utf8')).to.equal(source('one', 4))
    expect(await readdir(at('b'))).to.have.members(['own', 'team', 'two.yaml', 'three.yaml'])
  })

  it('are not written while git changes them', async () => {
    await mkdir(at('b', '.git'))
    const [a, b] = await openBoth()
    await writeFile(at('b', '.git/index.lock'), '')
    await edit(a, 'one', 2)
    await edit(a, 'one', 3)
    expect(await b.follow()).to.equal(true)
    expect([live(b), await files('b')]).to.deep.equal([
      { one: '3', two: '1' },
      { one: '1', two: '1' },
    ])
    await rm(at('b', '.git/index.lock'))
    expect(await b.follow()).to.equal(false)
    expect(await files('b')).to.deep.equal({ one: '3', two: '1' })
  })

  it('do not stop a node from following if its folder cannot be read', async () => {
    const [a, b] = await openBoth()
    await rm(at('b'), { recursive: true })
    await symlink('playbooks-b', at('b'))
    await edit(a, 'one', 2)
    expect(await b.follow()).to.equal(true)
    expect(live(b)).to.deep.equal({ one: '2', two: '1' })
  })

  for (const n of [3, null])
    it(`lose no edit to a slower ${n === null ? 'deletion' : 'one'} on the other node`, async () => {
      const [a, b] = await openBoth()
      await edit(b, 'one', 2)
      await a.follow()
      const change = { name: 'one', source: n === null ? null : source('one', n), seen: a.published('one')! }
      onWritten = async () => {
        onWritten = async () => {}
        // As after 30 seconds.
        await opened.stores.playbooks.prepare(null)
        await edit(b, 'one', 4)
      }
      expect(await a.apply([change], by).catch(String)).to.include('has another published version')
      expect(await a.reload()).to.deep.equal(nothing)
      for (const node of ['a', 'b'] as const) expect(await files(node)).to.deep.equal({ one: '4', two: '1' })
      expect(live(a)).to.deep.equal({ one: '4', two: '1' })
    })

  it('undo a change that a kill has interrupted if the other node reads its folder by now', async () => {
    const [a] = await openBoth()
    const prepared = [
      { path: 'one.yaml', before: a.published('one')!, source: source('one', 2) },
      { path: 'two.yaml', before: a.published('two')!, source: null },
      { path: 'three.yaml', before: null, source: source('three', 1) },
    ]
    await opened.stores.playbooks.prepare({ by, files: prepared })
    await write('a', 'one', source('one', 2))
    await remove('a', 'two')
    await write('a', 'three', source('three', 1))
    reader = 'b'
    const again = await open('a')
    expect([live(again), await files('a')]).to.deep.equal([
      { one: '1', two: '1' },
      { one: '1', two: '1' },
    ])
    await edit(again, 'one', 3)
  })

  for (const at of ['at its start', 'when it takes over'])
    it(`do not publish what a kill has left if the other node has published meanwhile, ${at}`, async () => {
      const [a, b] = await openBoth()
      const left = {
        by,
        files: [{ path: 'one.yaml', before: a.published('one')!, source: source('one', 2) }],
      }
      await opened.stores.playbooks.prepare(left)
      await write('a', 'one', source('one', 2))
      // As after 30 seconds.
      const base = { published: await opened.stores.playbooks.published(), prepared: left }
      expect(await opened.stores.playbooks.prepare({ by, files: [] }, base)).to.equal(true)
      await opened.stores.playbooks.prepare(null)
      await edit(b, 'two', 2)
      reader = at === 'at its start' ? 'a' : 'b'
      const again = await open('a')
      expect((await opened.stores.playbooks.folder()).left).to.deep.equal([])
      reader = 'a'
      expect(await again.reload()).to.deep.equal(nothing)
      expect([live(again), await files('a')]).to.deep.equal([
        { one: '1', two: '2' },
        { one: '1', two: '2' },
      ])
      // By hand, it is a change as any other.
      await write('a', 'one', source('one', 2))
      expect((await again.reload()).published).to.deep.equal(['one'])
    })

  it('complete a change to an earlier version that a kill has interrupted', async () => {
    const [a] = await openBoth()
    await edit(a, 'one', 2)
    await edit(a, 'two', 2)
    const change = { one: source('one', 1), two: null }
    const prepared = Object.entries(change).map(([name, text]) => ({
      path: `${name}.yaml`,
      before: a.published(name)!,
      source: text,
    }))
    await opened.stores.playbooks.prepare({ by, files: prepared })
    await write('a', 'one', source('one', 1))
    await remove('a', 'two')
    const again = await open('a')
    expect([live(again), await files('a')]).to.deep.equal([{ one: '1' }, { one: '1' }])
  })
})
