import { copyFileSync, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Run } from '../../core/domain/run.ts'
import type { Stores } from '../../core/ports/stores.ts'
import { SqliteConnection } from '../../server/sqlite/database/connection.ts'
import { expectRejection } from '../contract/fixture.ts'
import { somebody } from '../support/somebody.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'
import { openStoresIn } from '../support/stores.ts'

const paths = Array.from({ length: 1_700 }, (_, n) => `each[${n}]/do`)
const error = { code: 'broken', message: 'broken' }
const failed = { status: 'failed', output: null, error } as const
const newRun = { playbookName: 'p', playbookHash: 'a'.repeat(64), alertUuid: null }

describe('the journal copied by a retry', () => {
  let folder: TemporaryFolder
  let dataDir: string
  let stores: Stores
  let onCommit: () => void

  beforeEach(async () => {
    folder = await makeTemporaryFolder()
    dataDir = join(folder.path, 'data')
    onCommit = () => {}
    stores = await openStoresIn(dataDir, { onCommit: () => onCommit() })
  })
  afterEach(async () => {
    onCommit = () => {}
    await stores.close()
    await folder.remove()
  })

  /** Every tenth step failed once before. */
  async function endedRun(count: number, output: unknown = {}): Promise<Run> {
    const { uuid: organizationUuid } = await stores.organizations.create(
      { code: 'Acme', name: 'Acme' },
      somebody(),
    )
    const { uuid } = await stores.runs.queue({ ...newRun, organizationUuid })
    await stores.runs.start(uuid, { title: 'x' })
    const record = (path: string) =>
      stores.journal.record(
        uuid,
        { path, stepId: 'do', kind: 'x.do', input: { path }, attempt: 1, startedAt: 1 },
        { state: 'completed', output, error: null, attempt: 2, endedAt: 4 },
      )
    const tried = { attempt: 1, error, startedAt: 1, endedAt: 2, retryAt: 3 }
    for (const [n, path] of paths.slice(0, count).entries())
      if (n % 10 === 0) void stores.journal.attemptFailed(uuid, { ...tried, path })
    await Promise.all(paths.slice(0, count).map(record))
    return await stores.runs.end(uuid, failed)
  }

  const retry = (from: Stores, { organizationUuid, uuid }: Run, count = paths.length) =>
    from.runs.queue({
      ...newRun,
      organizationUuid,
      carriesOver: { runUuid: uuid, paths: paths.slice(0, count) },
    })

  /** Journal lines after each commit of the work. */
  async function countedPieces(work: () => Promise<unknown>): Promise<readonly number[]> {
    const counts: number[] = []
    const other = new SqliteConnection(join(dataDir, 'tocsin.db'))
    const count = () => other.one<{ n: number }>('SELECT count(*) AS n FROM journal').n
    let before = count()
    onCommit = () => {
      counts.push(count() - before)
      before = count()
    }
    await work()
    other.close()
    onCommit = () => {}
    return counts
  }

  it('is written in batches of at most 500 entries, so that other requests continue', async () => {
    const run = await endedRun(paths.length)
    const counts = await countedPieces(() => retry(stores, run))
    expect(counts.reduce((a, b) => a + b)).to.equal(paths.length)
    expect(Math.max(...counts)).to.be.at.most(500)
    expect(counts.length).to.be.at.least(4)
  })

  it('is written in small batches if entries are large', async () => {
    const run = await endedRun(9, { text: 'x'.repeat(400_000) })
    const counts = await countedPieces(() => retry(stores, run))
    expect(counts.filter((n) => n > 0)).to.deep.equal([3, 3, 3])
  })

  it('is written with the run at once if it is small', async () => {
    const run = await endedRun(400)
    expect(await countedPieces(() => retry(stores, run, 400))).to.deep.equal([400])
  })

  it('is complete before its run starts, at whatever commit the process is killed', async () => {
    const run = await endedRun(paths.length)
    const expected = (await stores.journal.entries(run.uuid)).map((entry) => ({
      ...entry,
      carriedFrom: run.uuid,
    }))
    const attempts = await stores.journal.failedAttempts(run.uuid)
    const goesOn = {
      taken: (left: Stores, next: string) => left.runs.take(next),
      started: (left: Stores, next: string) => left.runs.start(next, { title: 'x' }),
      cancelled: (left: Stores, next: string) => left.runs.cancel('all', next, somebody('eve')),
    }
    let commits = 0
    const folderOf = (commit: number, how: string) => join(folder.path, `killed-${commit}-${how}`)
    onCommit = () => {
      for (const how of Object.keys(goesOn)) copyDatabase(dataDir, folderOf(commits, how))
      commits++
    }
    const { uuid } = await retry(stores, run)
    onCommit = () => {}
    expect(commits).to.be.at.least(4)

    for (let commit = 0; commit < commits; commit++)
      for (const [how, goOn] of Object.entries(goesOn)) {
        const place = `${how} after a kill at commit ${commit}`
        const left = await openStoresIn(folderOf(commit, how))
        try {
          await left.runs.recover()
          const known = await left.journal.entries(uuid)
          expect(known.length, place).to.equal(commit === commits - 1 ? paths.length : 0)
          if (how === 'taken') {
            expect(await left.runs.due(run.organizationUuid, 9), place).to.deep.equal([
              { uuid, organizationUuid: run.organizationUuid },
            ])
            await expectRejection(retry(left, run), 'ConflictError', 'run_superseded')
          }
          await goOn(left, uuid)
          expect(await left.journal.entries(uuid), place).to.deep.equal(expected)
          expect(await left.journal.failedAttempts(uuid), place).to.deep.equal(attempts)
        } finally {
          await left.close()
        }
      }
  })

  it('continues after an interruption, and the retry is not refused', async () => {
    const run = await endedRun(paths.length)
    let closed: Promise<void> | undefined
    onCommit = () => {
      closed ??= stores.close()
    }
    const { uuid } = await retry(stores, run)
    await closed
    onCommit = () => {}
    stores = await openStoresIn(dataDir)
    expect(await stores.journal.entries(uuid)).to.deep.equal([])
    await stores.runs.recover()
    expect(await stores.runs.take(uuid)).to.have.nested.property('run.uuid', uuid)
    expect(await stores.journal.entries(uuid)).to.have.length(paths.length)
  })
})

/** The state after a kill, without SQLite's cleanup. */
function copyDatabase(from: string, to: string): void {
  mkdirSync(to)
  for (const file of ['tocsin.db', 'tocsin.db-wal', 'master.key'])
    if (existsSync(join(from, file))) copyFileSync(join(from, file), join(to, file))
}
