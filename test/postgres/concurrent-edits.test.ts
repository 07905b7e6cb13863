import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { contentHash } from '../../core/playbook/language/source-text.ts'
import { describePostgres } from '../support/postgres.ts'
import { times } from '../support/random.ts'
import { somebody } from '../support/somebody.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'
import type { CallOutcome, StoreCall } from './children/writes-at-times.ts'
import { openTemporaryPostgresStores } from './support/stores.ts'
import { startTwoWriters, type TwoWriters } from './support/two-writers.ts'

const pairs = times(20)
const source = (name: string, n: number) =>
  `apiVersion: tocsin/v1\nname: ${name}\non: { manual: true }\nsteps:\n  - return: { n: ${n} }\n`
const kindOf = (outcome: CallOutcome | undefined): string =>
  outcome === undefined ? 'nothing' : 'value' in outcome ? 'ok' : outcome.code
const calling = (method: string, ...args: unknown[]): StoreCall => ({ store: 'library', method, args })

const kim = { ...somebody(), name: 'kim' }
const max = { ...somebody(), name: 'max' }

describePostgres('two nodes that change a playbook at the same moment', function (this: Mocha.Suite) {
  this.timeout(60_000)
  let opened: Awaited<ReturnType<typeof openTemporaryPostgresStores>>
  let folder: TemporaryFolder
  let writers: TwoWriters
  const names = Array.from({ length: pairs }, (_, index) => `playbook-${index}`)

  beforeEach(async () => {
    opened = await openTemporaryPostgresStores({
      clock: { now: () => Date.now(), monotonic: () => performance.now() },
    })
    folder = await makeTemporaryFolder()
    for (const node of ['a', 'b']) {
      await mkdir(join(folder.path, node))
      for (const name of names) await write(node, name, 0)
    }
    writers = await startTwoWriters(opened.address)
    await both(calling('open', join(folder.path, 'a'), true), calling('open', join(folder.path, 'b'), false))
  })
  afterEach(async () => {
    await writers?.close()
    await opened?.dispose()
    await folder?.remove()
  })

  const write = (node: string, name: string, n: number) =>
    writeFile(join(folder.path, node, `${name}.yaml`), source(name, n))
  const both = async (one: StoreCall, other: StoreCall) => (await writers.callPairs([[one, other]]))[0]!
  const published = async (name: string) => (await opened.stores.playbooks.published()).get(name)
  const first = (name: string) => contentHash(source(name, 0))
  const apply = (by: typeof kim, name: string, n: number | null, seen: string | null = first(name)) =>
    calling('apply', [{ name, source: n === null ? null : source(name, n), seen }], by)
  const applySet = (by: typeof kim, name: string, n: number) =>
    calling(
      'applySet',
      { sources: [{ file: 'x', source: source(name, n) }], prune: false, publication: {} },
      { by, scope: 'all', seen: undefined, dryRun: false },
    )

  /** Expects that one change of each pair is acknowledged and live, in the folders of both too. */
  async function expectOneOfEach(
    calls: readonly (readonly [StoreCall, StoreCall])[],
    /** Of both changes; undefined: the playbook is deleted. */
    hashes: (name: string) => readonly [string | undefined, string | undefined],
    batch: number,
  ) {
    const results = await writers.callPairs(calls, batch)
    const lost: string[] = []
    for (const [index, name] of names.entries()) {
      const kinds = results[index]!.map(kindOf)
      const winner = kinds.indexOf('ok')
      if (kinds.toSorted().join() !== 'ok,revision_changed') lost.push(`${name}: ${kinds.join()}`)
      else expect(await published(name), name).to.equal(hashes(name)[winner])
    }
    expect(lost).to.deep.equal([])
    await both(calling('follow'), calling('follow'))
    for (const [name, hash] of await opened.stores.playbooks.published())
      for (const node of ['a', 'b'])
        expect(contentHash(await readFile(join(folder.path, node, `${name}.yaml`), 'utf8'))).to.equal(hash)
  }
  const two = (name: string) => [contentHash(source(name, 1)), contentHash(source(name, 2))] as const

  for (const batch of [1, 5])
    it(`acknowledge one of two edits, ${batch} at a time`, () =>
      expectOneOfEach(
        names.map((name) => [apply(kim, name, 1), apply(max, name, 2)] as const),
        two,
        batch,
      ))

  it('acknowledge an edit or a deletion', () =>
    expectOneOfEach(
      names.map((name) => [apply(kim, name, 1), apply(max, name, null)] as const),
      (name) => [two(name)[0], undefined],
      1,
    ))

  it('create a playbook once', async () => {
    for (const name of names)
      await both(calling('apply', [{ name, source: null, seen: '*' }], kim), calling('follow'))
    await expectOneOfEach(
      names.map((name) => [apply(kim, name, 1, null), apply(max, name, 2, null)] as const),
      two,
      1,
    )
  })

  it('apply a set on top of an edit, or refuse the edit', async () => {
    const results = await writers.callPairs(
      names.map((name) => [apply(kim, name, 1), applySet(max, name, 2)] as const),
      1,
    )
    for (const [index, name] of names.entries()) {
      expect(kindOf(results[index]![1])).to.equal('ok')
      expect(['ok', 'revision_changed']).to.include(kindOf(results[index]![0]))
      expect(await published(name), name).to.equal(two(name)[1])
    }
  })

  it('refuse an edit of what the folder has changed', async () => {
    for (const name of names) {
      await write('a', name, 1)
      const [reloaded, edited] = await both(calling('reload'), apply(max, name, 2))
      const isPublished = reloaded !== undefined && 'value' in reloaded && reloaded.value.includes(name)
      expect([isPublished ? 'revision_changed' : 'ok', 'ok'], name).to.include(kindOf(edited))
      // Both: the file was published on top of the edit.
      expect(await published(name), name).to.equal(two(name)[isPublished ? 0 : 1])
      await both(calling('reload'), calling('follow'))
    }
  })
})
