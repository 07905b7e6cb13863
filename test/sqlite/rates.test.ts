import { join } from 'node:path'
import { expect } from 'chai'
import type { RatedStart } from '../../core/common/rates.ts'
import type { Stores } from '../../core/ports/stores.ts'
import { SqliteConnection } from '../../server/sqlite/database/connection.ts'
import { somebody } from '../support/somebody.ts'
import { makeDataDir, openStoresIn } from '../support/stores.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'

const minute = 60_000

describe('starts with a rate limit in SQLite', () => {
  let folder: TemporaryFolder
  let stores: Stores
  let organizationUuid: string
  const clock = {
    setTo: 0,
    passed: 0,
    now() {
      return this.setTo + this.passed
    },
    monotonic() {
      return this.passed
    },
  }
  const open = async () => {
    stores = await openStoresIn(folder.path, { clock })
  }
  beforeEach(async () => {
    Object.assign(clock, { setTo: 1_800_000_000_000, passed: 0 })
    folder = await makeTemporaryFolder()
    await makeDataDir(folder.path)
    await open()
    organizationUuid = (await stores.organizations.create({ code: 'acme', name: 'Acme' }, somebody())).uuid
  })
  afterEach(async () => {
    await stores.close()
    await folder.remove()
  })

  async function startRun(): Promise<string> {
    const given = { organizationUuid, playbookName: 'p', playbookHash: 'h', alertUuid: null }
    const { uuid } = await stores.runs.queue(given)
    await stores.runs.start(uuid, { title: 'x' })
    return uuid
  }
  const rated = (requests: number, key: string | null = null): RatedStart => ({
    limit: { requests, perMs: minute },
    playbook: 'p',
    stepId: 'call',
    key,
  })
  const admit = (run: string, path: string, start = rated(1)) => stores.journal.admit(run, path, start, true)

  const rows = (where = 'true'): number => {
    const database = new SqliteConnection(join(folder.path, 'tocsin.db'))
    try {
      return database.one<{ n: number }>(`SELECT count(*) AS n FROM rated_starts WHERE ${where}`).n
    } finally {
      database.close()
    }
  }

  it('give the last place to one of two runs, whatever the order of their writes', async () => {
    const runs = [await startRun(), await startRun(), await startRun()]
    const waits = await Promise.all(runs.map((run) => admit(run, 'call', rated(2))))
    expect(waits.toSorted((a, b) => a - b)).to.deep.equal([0, 0, minute])
  })

  it('survive a restart with the clock set back', async () => {
    const run = await startRun()
    expect(await admit(run, 'a')).to.equal(0)
    expect(await admit(run, 'b')).to.equal(minute)
    await stores.close()
    clock.setTo -= 100 * minute
    await open()
    expect(await admit(run, 'b')).to.equal(minute)
    clock.passed += minute
    expect(await admit(run, 'b')).to.equal(0)
  })

  it('that wait are forgotten when their run ends, and all others when they no longer count', async () => {
    const [first, second] = [await startRun(), await startRun()]
    await admit(first, 'a')
    await admit(second, 'a')
    await admit(second, 'b')
    await stores.runs.end(second, { status: 'failed', output: null, error: null })
    expect([rows('waits = 1'), rows()]).to.deep.equal([0, 1])
    clock.passed += minute
    await stores.retention.clearExpired({ idleMs: 1, maxMs: 1 })
    expect(rows()).to.equal(0)
  })

  it('of very many keys are deleted in pieces', async () => {
    const run = await startRun()
    await Promise.all(
      Array.from({ length: 2_000 }, (_, at) => admit(run, `call[${at}]`, rated(1, `key ${at}`))),
    )
    expect(rows()).to.equal(2_000)
    clock.passed += minute
    let pieces = 0
    while (await stores.retention.clearExpired({ idleMs: 1, maxMs: 1 })) pieces++
    expect([rows(), pieces]).to.deep.equal([0, 4])
  })

  it('plan a long line without reading all of it', async () => {
    const run = await startRun()
    const many = rated(10)
    const waits = await Promise.all(Array.from({ length: 1_000 }, (_, at) => admit(run, `call[${at}]`, many)))
    expect(waits).to.deep.equal(Array.from({ length: 1_000 }, (_, at) => Math.floor(at / 10) * minute))
    const database = new SqliteConnection(join(folder.path, 'tocsin.db'))
    try {
      const plan = database.all<{ detail: string }>(
        `EXPLAIN QUERY PLAN SELECT at FROM rated_starts WHERE organization_id = 1 AND playbook_name = '' AND step_id = '' AND key = ''
         AND waits = 1 AND id < 5 ORDER BY id DESC LIMIT 1 OFFSET 9`,
      )
      expect(plan.map(({ detail }) => detail).join()).to.match(
        /^SEARCH rated_starts USING INDEX rated_starts_waiting [^,]*$/,
      )
    } finally {
      database.close()
    }
  })
})
