import { existsSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { NodeReport, StoredNode } from '../../core/ports/nodes/node-store.ts'
import { createNodeReporter, rememberError, runsOfAll } from '../../server/nodes/node-report.ts'
import { listNodes, type NodeListOptions } from '../../server/nodes/node-list.ts'
import { NodeWatch } from '../../server/nodes/node-watch.ts'
import { SharedLease } from '../../server/nodes/shared-lease.ts'
import { readStandbys, StandbyFile } from '../../server/nodes/standby-file.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'

const report: NodeReport = {
  role: 'active',
  runs: 1,
  queued: 2,
  cpuPercent: 3,
  memoryBytes: 4,
  lastError: null,
}

const stored = (id: string, changes: Partial<StoredNode> = {}): StoredNode => ({
  id,
  name: `host:${id}`,
  program: '1.0.0',
  startedAt: 1,
  renewedAt: 1,
  peers: [],
  report,
  gone: null,
  ...changes,
})

describe('the list of nodes', () => {
  let now: number
  let rows: StoredNode[]
  let options: NodeListOptions

  beforeEach(() => {
    now = 0
    rows = []
    const watch = new NodeWatch(() => now)
    options = {
      nodes: { id: 'a', list: async () => rows },
      node: { name: 'host:a', startedAt: 5, lease: new SharedLease(), watch },
      report: () => ({ ...report, runs: 7 }),
      standbys: () => [],
      newerRuns: { waiting: () => [] },
    }
  })

  it('is the process itself without failover, as nothing is stored', async () => {
    const alone = { ...options, node: { ...options.node, lease: undefined } }
    const [only, ...others] = (await listNodes(alone)).nodes
    expect(others).to.deep.equal([])
    expect(only).to.deep.include({ id: 'a', name: 'host:a', role: 'active', state: 'ok', leaseLeftMs: null })
    expect(only?.report?.runs).to.equal(7)
  })

  it('has what the process itself tells now, and what others have stored', async () => {
    rows = [
      stored('a'),
      stored('b', { report: { ...report, role: 'draining' } }),
      stored('c', { report: null }),
    ]
    const listed = (await listNodes(options)).nodes
    expect(listed.map(({ role, report: told }) => [role, told?.runs])).to.deep.equal([
      ['active', 7],
      ['draining', 1],
      ['active', undefined],
    ])
  })

  it('says how much of a lease is left since the last renewal that was seen, and that a node is late', async () => {
    const see = async () =>
      (await listNodes(options)).nodes.map(({ state, leaseLeftMs }) => [state, leaseLeftMs])
    rows = [stored('a'), stored('b')]
    expect(await see()).to.deep.equal([
      ['ok', 5_000],
      ['ok', 5_000],
    ])
    now = 4_000
    rows = [stored('a', { renewedAt: 2 }), stored('b')]
    expect(await see()).to.deep.equal([
      ['ok', 5_000],
      ['late', 1_000],
    ])
    now = 9_000
    expect((await see())[1]).to.deep.equal(['late', 0])
    rows = [stored('b', { gone: { at: 9, why: 'lost' } })]
    expect(await see()).to.deep.equal([['gone', null]])
  })
})

describe('the watch over other nodes', () => {
  const [none, other] = [[], [stored('b')]]
  let now = 0
  const lostAfter = (looks: readonly number[]): readonly StoredNode[] => {
    now = 0
    const watch = new NodeWatch(() => now)
    for (now of looks) watch.look(other)
    return watch.lost(other)
  }

  it('finds a node lost that it has not seen renewing for six seconds', () => {
    expect(lostAfter([0, 1_000, 2_000, 3_000, 4_000, 5_000, 6_000])).to.deep.equal(none)
    expect(lostAfter([0, 1_000, 2_000, 3_000, 4_000, 5_000, 6_001])).to.deep.equal(other)
    expect(lostAfter([0, 2_000, 4_000, 6_000, 6_001])).to.deep.equal(other)
  })

  it('does not count time in which it could not look, such as an outage of the database', () => {
    expect(lostAfter([0, 60_000])).to.deep.equal(none)
    expect(lostAfter([0, 1_000, 60_000, 61_000])).to.deep.equal(none)
    expect(lostAfter([0, 1_000, 60_000, 61_000, 62_000, 62_500])).to.deep.equal(other)
  })
})

describe('the file of a standby', () => {
  let folder: TemporaryFolder
  const standby = { id: '0190a0a0-0000-7000-8000-000000000001', name: 'h:1', program: '1.0.0', startedAt: 3 }
  const path = () => join(folder.path, `standby-${standby.id}.json`)
  beforeEach(async () => void (folder = await makeTemporaryFolder()))
  afterEach(() => folder.remove())

  it('tells of the standby until that ends, and that it is late', () => {
    const file = new StandbyFile(folder.path, standby)
    expect(readStandbys(folder.path)).to.deep.equal([{ ...standby, isLate: false }])
    const before = new Date(Date.now() - 10_000)
    utimesSync(path(), before, before)
    expect(readStandbys(folder.path)).to.deep.equal([{ ...standby, isLate: true }])
    file.alive()
    expect(readStandbys(folder.path)).to.deep.equal([{ ...standby, isLate: false }])
    file.remove()
    expect(readStandbys(folder.path)).to.deep.equal([])
  })

  it('is deleted when it was left behind long ago, and ignored when it is broken', () => {
    writeFileSync(path(), '{')
    expect(readStandbys(folder.path)).to.deep.equal([])
    const file = new StandbyFile(folder.path, standby)
    expect(readStandbys(folder.path, Date.now() + 3_700_000)).to.deep.equal([])
    expect(existsSync(path())).to.equal(false)
    file.alive()
    new StandbyFile(join(folder.path, 'missing'), standby).alive()
    expect(readStandbys(join(folder.path, 'missing'))).to.deep.equal([])
  })
})

describe('the report of a node', () => {
  it('has its load, its role and the newest error of its log', () => {
    const seen: string[] = []
    const log = {
      debug() {},
      info() {},
      warn() {},
      error: (_: object, message: string) => void seen.push(message),
    }
    const remembered = rememberError(log, { now: () => 9 })
    let isDraining = false
    const tell = createNodeReporter({
      load: () => ({ active: 3, queued: 4 }),
      working: () => new Map(Array.from({ length: 300 }, (_, index) => [String(index), index])),
      suspects: () => 2,
      lastError: remembered.lastError,
      isDraining: () => isDraining,
      folder: () => undefined,
      settings: 'digests',
      rates: () => ({ main: { received: 1, grouped: 0, refused: 0, ended: 2 } }),
    })
    expect(tell()).to.deep.include({ role: 'active', runs: 3, queued: 4, lastError: null })
    expect(tell().rates?.['main']?.ended).to.equal(2)
    expect(tell().suspects).to.equal(2)
    expect(tell().settings).to.equal('digests')
    expect(Object.keys(tell().working ?? {})).to.include.members(['299', '200'])
    expect(Object.keys(tell().working ?? {}), 'of the busiest organizations').to.have.length(100)
    expect(tell().memoryBytes).to.be.greaterThan(1_000_000)
    expect(tell().cpuPercent).to.be.within(0, 10_000)
    remembered.log.error({ reason: 'secret of a customer' }, 'the disk is full')
    isDraining = true
    expect(tell()).to.deep.include({ role: 'draining', lastError: { at: 9, message: 'the disk is full' } })
    expect(seen).to.deep.equal(['the disk is full'])
  })

  it('is added to those of the others', () => {
    const others = [{ ...report, working: { main: 3 }, suspects: 4 }, report]
    const runner = { shareOf: () => ({ working: 1, most: 80 }), suspects: () => 0 }
    const all = runsOfAll(runner, () => others)
    expect(all.shareOf('main')).to.deep.equal({ working: 4, most: 240 })
    expect(all.shareOf('other')).to.deep.equal({ working: 1, most: 240 })
    expect(all.suspects()).to.equal(4)
  })
})
