import { Worker } from 'node:worker_threads'
import { once } from 'node:events'
import { expect } from 'chai'
import type { NodeReport, NodeStore, Renewal, StoredNode } from '../../core/ports/nodes/node-store.ts'
import { UnavailableError } from '../../core/errors/errors.ts'
import { keepLease, leaseMs } from '../../server/nodes/keep-lease.ts'
import { SharedLease } from '../../server/nodes/shared-lease.ts'
import { takeOver } from '../../server/nodes/take-over.ts'
import { openBench } from '../engine/support/bench.ts'
import { makePlaybook } from '../engine/support/make-playbook.ts'
import { ManualClock, settle } from '../engine/support/manual-clock.ts'
import { expectRejection } from '../contract/fixture.ts'

const node = { name: 'host:1', program: '1.0.0' }
const log = { debug() {}, info() {}, warn() {}, error() {} }

/** Nodes in memory; `refusal` makes every renewal fail. */
class Nodes implements Pick<NodeStore, 'id' | 'join' | 'renew' | 'list' | 'remove'> {
  id = 'a'
  rows: StoredNode[] = []
  renewals: Renewal[] = []
  refusal: Error | undefined
  async join(joined: typeof node): Promise<void> {
    const fresh = { startedAt: 0, renewedAt: 0, peers: [], report: null, gone: null }
    this.rows.push({ ...joined, id: this.id, ...fresh })
  }
  async renew(renewal: Renewal = {}): Promise<void> {
    if (this.refusal) throw this.refusal
    this.renewals.push(renewal)
    this.rows = this.rows.map((row) => (row.id === this.id ? { ...row, renewedAt: row.renewedAt + 1 } : row))
  }
  async list(): Promise<readonly StoredNode[]> {
    return [...this.rows]
  }
  async remove(removed: readonly Pick<StoredNode, 'id'>[]): Promise<void> {
    this.rows = this.rows.filter(({ id }) => removed.every((one) => one.id !== id))
  }
}

describe('the lease of a process', () => {
  it('is over until it is renewed, and again when its time has passed', () => {
    const lease = new SharedLease()
    expect(lease.isHeld()).to.equal(false)
    lease.from(60_000)()
    expect(lease.isHeld()).to.equal(true)
    lease.from(-1)()
    expect(lease.isHeld()).to.equal(false)
  })

  it('counts from the time before its renewal was written', async () => {
    const lease = new SharedLease()
    const held = lease.from(5)
    await new Promise((resolve) => setTimeout(resolve, 20))
    held()
    expect(lease.isHeld()).to.equal(false)
  })

  it('is over by the clock of the day alone, such as after a sleep in which the other clock stood still', () => {
    const lease = new SharedLease()
    lease.from(60_000)()
    const now = Date.now
    try {
      Date.now = () => now() + 61_000
      expect(lease.isHeld()).to.equal(false)
    } finally {
      Date.now = now
    }
    expect(lease.isHeld()).to.equal(true)
  })

  it('is seen by the threads of the process', async () => {
    const lease = new SharedLease()
    const source = `
      const { parentPort, workerData } = require('node:worker_threads')
      import(workerData.module).then(({ SharedLease }) => {
        const lease = new SharedLease(workerData.memory)
        parentPort.on('message', () => parentPort.postMessage(lease.isHeld()))
        parentPort.postMessage('ready')
      })`
    const module = new URL('../../server/nodes/shared-lease.ts', import.meta.url).href
    const worker = new Worker(source, { eval: true, workerData: { module, memory: lease.memory } })
    try {
      await once(worker, 'message')
      const asked = async () => {
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
        worker.postMessage('?')
        return (await once(worker, 'message'))[0] as boolean
      }
      expect(await asked()).to.equal(false)
      lease.from(60_000)()
      expect(await asked()).to.equal(true)
    } finally {
      await worker.terminate()
    }
  })

  it('is renewed each second, and comes back after the store failed', async () => {
    const [nodes, clock, lease, over] = [
      new Nodes(),
      new ManualClock(),
      new SharedLease(),
      new AbortController(),
    ]
    await keepLease(node, { nodes, lease, clock, log, signal: over.signal })
    expect(lease.isHeld()).to.equal(true)
    await clock.advance(1_000)
    await clock.advance(1_000)
    expect(nodes.renewals).to.have.length(2)
    nodes.refusal = new UnavailableError('store_unavailable', 'the disk is full', { retryAfterMs: 1 })
    await clock.advance(1_000)
    nodes.refusal = undefined
    await clock.advance(1_000)
    expect(nodes.renewals).to.have.length(3)
    over.abort()
    await clock.advance(10_000)
    expect(nodes.renewals).to.have.length(3)
  })
})

describe('what a node tells with its renewals', () => {
  it('is a report every five seconds, and the nodes that it counts', async () => {
    const [nodes, clock, lease, over] = [
      new Nodes(),
      new ManualClock(),
      new SharedLease(),
      new AbortController(),
    ]
    let runs = 0
    const report = () => ({ runs: runs++ }) as NodeReport
    const seen = [['a'], ['a', 'b'], ['a', 'c']]
    const look = async () => seen.shift() ?? ['a']
    await keepLease(node, { nodes, lease, clock, log, signal: over.signal, report, look })
    await clock.advance(7_000)
    over.abort()
    expect(nodes.renewals.map(({ report: told }) => told?.runs)).to.deep.equal([
      0,
      undefined,
      undefined,
      undefined,
      undefined,
      1,
      undefined,
    ])
    expect(nodes.renewals.slice(0, 4).map(({ peers }) => peers)).to.deep.equal([
      ['a'],
      ['a', 'b'],
      ['a', 'c'],
      ['a'],
    ])
  })
})

describe('a takeover', () => {
  it('waits for nothing without earlier processes', async () => {
    const [nodes, clock] = [new Nodes(), new ManualClock()]
    await takeOver({ nodes, clock, log })
    expect(clock.now()).to.equal(new ManualClock().now())
  })

  it('waits longer than a lease, and then removes the earlier processes', async () => {
    const [nodes, clock] = [new Nodes(), new ManualClock()]
    await nodes.join(node)
    let isOver = false
    const taking = takeOver({ nodes, clock, log }).then(() => (isOver = true))
    await clock.advance(leaseMs)
    expect(isOver).to.equal(false)
    expect(nodes.rows).to.have.length(1)
    await clock.advance(2_000)
    await taking
    expect(nodes.rows).to.deep.equal([])
  })

  it('is refused if an earlier process renews its lease, or another one joins meanwhile', async () => {
    for (const act of [
      (nodes: Nodes) => nodes.renew(),
      (nodes: Nodes) => {
        nodes.id = 'b'
        return nodes.join(node)
      },
    ]) {
      const [nodes, clock] = [new Nodes(), new ManualClock()]
      await nodes.join(node)
      const taking = expectRejection(takeOver({ nodes, clock, log }), 'ConflictError', 'node_alive')
      await settle()
      await act(nodes)
      await clock.advance(10_000)
      await taking
      expect(nodes.rows).to.not.deep.equal([])
    }
  })
})

describe('a run without the lease', () => {
  it('calls no skill until the lease is held, also between its intent and its call', async () => {
    const clock = new ManualClock()
    const bench = await openBench(clock)
    try {
      let isHeld = true
      const { journal } = bench.stores
      const begin: typeof journal.begin = async (run, entry) => {
        const held = await journal.begin(run, entry)
        isHeld = false
        return held
      }
      const fenced = new Proxy(journal, {
        get: (target, name: keyof typeof journal) =>
          name === 'begin' ? begin : (target[name] as (...given: unknown[]) => unknown).bind(target),
      })
      const going = bench.go(
        makePlaybook({ steps: [{ id: 'a', uses: 'x.act' }] }),
        { 'x.act': () => 1 },
        { journal: fenced, lease: { isHeld: () => isHeld } },
      )
      await settle()
      await clock.advance(60_000)
      expect(
        (await journal.entries((await bench.stores.runs.list('all', {}, { limit: 1 })).data[0]!.uuid))[0],
      ).to.include({ path: 'a', state: 'started' })
      expect(bench.calls).to.deep.equal([])
      isHeld = true
      await clock.advance(1_000)
      expect((await going).status).to.equal('completed')
      expect(bench.calls).to.have.length(1)
    } finally {
      await bench.close()
    }
  })
})
