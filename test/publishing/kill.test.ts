import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { openPlaybookLibrary } from '../../core/investigation/playbook-library.ts'
import { UnavailableError } from '../../core/errors/errors.ts'
import type { Stores } from '../../core/ports/stores.ts'
import { buildCatalogue } from '../../core/registry/catalogue.ts'
import { playbookFilesIn } from '../../server/playbooks-folder/folder-files.ts'
import { somebody } from '../support/somebody.ts'
import { makeDataDir, openStoresIn } from '../support/stores.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'

const source = (name: string, value: number) =>
  `apiVersion: tocsin/v1\nname: ${name}\non: { manual: true }\nsteps:\n  - return: ${value}\n`

describe('a change of several playbooks that is interrupted', () => {
  let data: TemporaryFolder
  let folder: TemporaryFolder
  let stores: Stores | undefined
  const changes = [
    { name: 'one', source: source('one', 2) },
    { name: 'two', source: source('two', 2) },
    { name: 'three', source: null },
  ]

  beforeEach(async () => {
    data = await makeTemporaryFolder()
    folder = await makeTemporaryFolder()
    await makeDataDir(data.path)
    for (const name of ['one', 'two', 'three']) await writeFile(at(name), source(name, 1))
    stores = await openStoresIn(data.path)
    await open()
    await stores.close()
  })
  afterEach(async () => {
    await stores?.close()
    stores = undefined
    await data.remove()
    await folder.remove()
  })

  const at = (name: string) => join(folder.path, `${name}.yaml`)
  const log = { debug() {}, info() {}, warn() {}, error() {} }
  const open = (files = playbookFilesIn(folder.path)) =>
    openPlaybookLibrary({ store: stores!.playbooks, catalogue: buildCatalogue([]), log, files })

  async function kill(place: string): Promise<void> {
    const script = fileURLToPath(new URL('child.ts', import.meta.url))
    const args = [script, data.path, folder.path, place, JSON.stringify(changes)]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] })
    const [, signal] = await once(child, 'exit')
    expect(signal).to.equal('SIGKILL')
    stores = await openStoresIn(data.path)
  }
  const onDisk = async () =>
    Object.fromEntries(
      await Promise.all(
        (await readdir(folder.path)).map(async (file) => [
          file,
          await readFile(join(folder.path, file), 'utf8'),
        ]),
      ),
    )
  const before = Object.fromEntries(['one', 'two', 'three'].map((name) => [`${name}.yaml`, source(name, 1)]))
  const after = { 'one.yaml': source('one', 2), 'two.yaml': source('two', 2) }
  const authored = (library: Awaited<ReturnType<typeof open>>) =>
    Object.fromEntries(library.authored().map((each) => [`${each.name}.yaml`, each.source]))

  for (const place of ['between the files', 'before the store'])
    it(`is completed by the next start, with its author and reason, after a kill ${place}`, async () => {
      await kill(place)
      const library = await open()
      expect(await onDisk()).to.deep.equal(after)
      expect(authored(library)).to.deep.equal(after)
      const { data: entries } = await stores!.audit.list('all', {}, { limit: 3 })
      expect(
        entries.map(({ action, actor, details }) => [action, actor.name, details['reason']]),
      ).to.have.deep.members([
        ['playbook.put_in_force', 'kim', 'rule 7'],
        ['playbook.put_in_force', 'kim', 'rule 7'],
        ['playbook.removed', 'kim', 'rule 7'],
      ])
    })

  it('has not happened after a kill before the files', async () => {
    await kill('before the files')
    const library = await open()
    expect(await onDisk()).to.deep.equal(before)
    expect(authored(library)).to.deep.equal(before)
    expect((await stores!.playbooks.folder()).prepared).to.equal(undefined)
  })

  it('is dropped if somebody changed one of its files since', async () => {
    await kill('between the files')
    await writeFile(at('two'), source('two', 9))
    const library = await open()
    expect(await onDisk()).to.deep.include({ 'two.yaml': source('two', 9), 'three.yaml': source('three', 1) })
    expect(authored(library)).to.deep.equal(await onDisk())
  })

  it('is completed later if the disk failed between the files, and says so', async () => {
    stores = await openStoresIn(data.path)
    const disk = playbookFilesIn(folder.path)
    let isFull = true
    const library = await open({
      ...disk,
      async write(writes) {
        await disk.write(isFull ? writes.slice(0, 1) : writes)
        if (isFull) throw new UnavailableError('storage_failed', 'full', { retryAfterMs: 1 })
      },
    })
    const apply = () =>
      library.apply(
        changes.map((change) => ({ ...change, seen: '*' as const })),
        somebody(),
      )
    expect(await apply().catch((error: Error) => error.message)).to.include('written in part')
    expect(authored(library), 'nothing is published').to.deep.equal(before)
    isFull = false
    await library.reload()
    expect(await onDisk()).to.deep.equal(after)
    expect(authored(library)).to.deep.equal(after)
  })
})
