import { once } from 'node:events'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import Sqlite from 'better-sqlite3'
import { expect } from 'chai'
import { everyAlert } from '../sqlite/every-alert.ts'
import { openStoresIn } from '../support/stores.ts'
import { makeRandom, seed, times } from '../support/random.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'
import { Disk } from './support/disk.ts'
import { canTrace, readTrace, startTraced } from './support/strace.ts'
import { somebody } from '../support/somebody.ts'

/** Maximum number of alerts acknowledged before the power cut. */
const alerts = 240
const cuts = times(8)

const local = (path: string) => fileURLToPath(new URL(path, import.meta.url))

describe(`alerts after a power cut (seed ${seed})`, function () {
  this.timeout(times(120_000))
  let folder: TemporaryFolder
  let random: () => number

  before(function () {
    if (!canTrace) this.skip()
  })
  beforeEach(async () => {
    random = makeRandom(seed)
    folder = await makeTemporaryFolder()
  })
  afterEach(() => folder.remove())

  /** All file operations of a process during intake, after `before` was on disk. */
  async function record(...nodeArgs: string[]) {
    const dataDir = join(folder.path, 'data')
    const stores = await openStoresIn(dataDir)
    const { uuid } = await stores.organizations.create({ code: 'Acme', name: 'Acme' }, somebody())
    await stores.providers.create({ code: 'SIEM', name: 'SIEM' }, somebody())
    await stores.close()
    const before = await readDatabase(dataDir)
    const trace = join(folder.path, 'trace')
    const writer = local('../sqlite/children/write-alerts.ts')
    const tracer = startTraced(trace, [...nodeArgs, writer, dataDir, uuid, '8', String(alerts)])
    tracer.stdout!.resume()
    await once(tracer, 'exit')
    return { before, calls: readTrace(trace), dataDir }
  }

  type Recording = Awaited<ReturnType<typeof record>>

  /** Alerts acknowledged before a power cut at call `at`, and the problems of the database after it. */
  async function cutPower({ before, calls, dataDir }: Recording, at: number, keeps: () => number) {
    const disk = new Disk(before)
    const acknowledged: string[] = []
    for (const call of calls.slice(0, at)) {
      if (call.call === 'print') acknowledged.push(...call.text.trim().split('\n'))
      else if (basename(call.path).startsWith('tocsin.db')) disk.apply(call)
    }
    const after = join(folder.path, `after-${at}-${random()}`)
    await mkdir(after)
    await writeFile(join(after, 'master.key'), await readFile(join(dataDir, 'master.key')), { mode: 0o600 })
    for (const [path, bytes] of disk.afterPowerCut(keeps)) await writeFile(join(after, basename(path)), bytes)
    return { acknowledged, wrong: await audit(after, acknowledged) }
  }

  it('are all present if acknowledged, whatever else reached the disk', async () => {
    const recording = await record()
    const ends = recording.calls.flatMap(({ call }, index) => (call === 'print' ? [index + 1] : []))
    expect(ends.length).to.be.at.least(alerts)
    for (let cut = 0; cut < cuts; cut++) {
      const at = cut === 0 ? ends.at(-1)! : ends[Math.floor(random() * ends.length)]!
      const sharesKept = [() => 0, () => 1, () => (random() < 0.5 ? 0 : random())]
      for (const keeps of sharesKept) {
        const { wrong, acknowledged } = await cutPower(recording, at, keeps)
        expect(wrong, `power cut at call ${at}, ${acknowledged.length} acknowledged`).to.deep.equal([])
      }
    }
  })

  it('are present even if the power fails between any two calls', async () => {
    const recording = await record()
    for (let cut = 0; cut < cuts; cut++) {
      const at = Math.floor(random() * recording.calls.length)
      const { wrong } = await cutPower(recording, at, () => (random() < 0.5 ? 0 : random()))
      expect(wrong, `power cut at call ${at}`).to.deep.equal([])
    }
  })

  it('are lost if commits do not wait for the disk (planted bug)', async () => {
    const recording = await record('--import', local('children/never-waits-for-the-disk.ts'))
    const { wrong, acknowledged } = await cutPower(recording, recording.calls.length, () => 0)
    expect(acknowledged.length).to.be.at.least(alerts)
    expect(wrong.join('\n')).to.match(/acknowledged and lost/)
  })
})

/** Database files by path. The index of the write-ahead log is rebuilt in memory. */
async function readDatabase(dataDir: string): Promise<ReadonlyMap<string, Buffer>> {
  const names = (await readdir(dataDir)).filter((name) => /^tocsin\.db(-wal)?$/.test(name))
  return new Map(
    await Promise.all(
      names.map(async (name) => [join(dataDir, name), await readFile(join(dataDir, name))] as const),
    ),
  )
}

async function audit(dataDir: string, acknowledged: readonly string[]): Promise<readonly string[]> {
  const wrong: string[] = []
  const stores = await openStoresIn(dataDir)
  const stored = await everyAlert(stores)
  await stores.close()
  const database = new Sqlite(join(dataDir, 'tocsin.db'), { readonly: true })
  const integrity: unknown = database.pragma('integrity_check', { simple: true })
  database.close()
  if (integrity !== 'ok') wrong.push(`integrity: ${String(integrity)}`)
  const ids = new Set(stored.map(({ id }) => id))
  const lost = acknowledged.filter((id) => !ids.has(id))
  if (lost.length > 0) wrong.push(`acknowledged and lost: ${lost.join(', ')}`)
  const sequence = stored.map(({ id }) => Number(id.split('-')[2])).toSorted((a, b) => a - b)
  if (sequence.some((number, index) => number !== index + 1)) wrong.push(`sequence: ${sequence.join(', ')}`)
  if (stored.some(({ content }) => content !== 'x'.repeat(2000))) wrong.push('a content is not what was sent')
  return wrong
}
