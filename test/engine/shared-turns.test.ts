import { expect } from 'chai'
import type { Run } from '../../core/domain/run.ts'
import type { Runner } from '../../core/engine/turns/runner-types.ts'
import { createRunner } from '../../core/engine/turns/runner.ts'
import type { Playbook } from '../../core/playbook/language/playbook.ts'
import type { Stores } from '../../core/ports/stores.ts'
import { SignalBus } from '../../server/nodes/signals/signal-bus.ts'
import { openTemporaryStores, type TemporaryStores } from '../support/stores.ts'
import { somebody } from '../support/somebody.ts'
import { testSkills, type SeenCall, type TestSkills } from './support/bench.ts'
import { makePlaybook } from './support/make-playbook.ts'
import { ManualClock, settle } from './support/manual-clock.ts'

const log = { debug() {}, info() {}, warn() {}, error() {} }

interface Node {
  readonly name: string
  readonly stores: Stores
  readonly runner: Runner
  readonly calls: SeenCall[]
}

/** Two runners on one database, each with its own stores. */
describe('runs on two nodes', () => {
  let clock: ManualClock
  let opened: TemporaryStores
  let bus: SignalBus
  let organizationUuid: string
  let playbook: Playbook
  let skills: TestSkills
  let nodes: Node[]

  beforeEach(async () => {
    clock = new ManualClock()
    opened = await openTemporaryStores({ clock })
    bus = new SignalBus()
    nodes = []
    skills = {}
    ;({ uuid: organizationUuid } = await opened.stores.organizations.create(
      { code: 'ACME', name: 'Acme' },
      somebody(),
    ))
  })
  afterEach(async () => {
    for (const { runner } of nodes) {
      const drained = runner.drain(0)
      await clock.advance(1)
      await drained
    }
    for (const { stores } of nodes) if (stores !== opened.stores) await stores.close()
    await opened.dispose()
  })

  /** @param hears whether signals arrive */
  async function join(name: string, { maxRuns = 10, hears = true } = {}): Promise<Node> {
    const stores = nodes.length === 0 ? opened.stores : await opened.another()
    await stores.nodes.join({ name, program: '1.0.0' })
    const calls: SeenCall[] = []
    const signals = bus.join()
    const runner = createRunner({
      stores,
      clock,
      log,
      maxRuns,
      loadPlaybook: async () => playbook,
      skills: testSkills(skills, calls),
      exclusive: { isShared: true, isMine: (job) => stores.nodes.takeJob(job) },
      signals,
      held: true,
    })
    if (hears) signals.listen((signal) => runner.heard(signal))
    await runner.recover()
    const node = { name, stores, runner, calls }
    nodes.push(node)
    await settle()
    return node
  }

  const queue = ({ stores }: Node): Promise<Run> =>
    stores.runs.queue({
      organizationUuid,
      playbookName: 'tested',
      playbookHash: 'a'.repeat(64),
      alertUuid: null,
    })

  async function start(node: Node): Promise<Run> {
    const run = await queue(node)
    node.runner.enqueue(run)
    await settle()
    return run
  }

  const lose = async (lost: Node, by: Node): Promise<void> => {
    const found = (await by.stores.nodes.list()).filter(({ id }) => id === lost.stores.nodes.id)
    await by.stores.nodes.remove(found, 'lost')
  }
  const statusOf = async ({ uuid }: Run) => (await opened.stores.runs.find('all', uuid))?.status
  const skillsOf = ({ calls }: Node) => calls.map(({ skill }) => skill)

  for (const hears of [true, false])
    it(`are cancelled on the node that has their turn, ${hears ? 'at once' : 'within a second without signals'}`, async () => {
      let isAborted = false
      skills = {
        'x.slow': (_, attempt) =>
          new Promise((_resolve, reject) => {
            attempt.signal.addEventListener('abort', () => {
              isAborted = true
              reject(new Error('aborted'))
            })
          }),
      }
      playbook = makePlaybook({ steps: [{ uses: 'x.slow' }] })
      const [a, b] = [await join('a', { hears }), await join('b')]
      const run = await start(a)
      b.runner.cancel(await b.stores.runs.cancel('all', run.uuid, somebody()))
      await settle()
      expect(isAborted).to.equal(hears)
      await clock.advance(1_000)
      expect(isAborted).to.equal(true)
      expect(await statusOf(run)).to.equal('cancelled')
      expect(b.calls).to.have.length(0)
    })

  it('are not taken twice by nodes that both know them', async () => {
    skills = { 'x.act': () => null }
    playbook = makePlaybook({ steps: [{ uses: 'x.act' }] })
    const [a, b] = [await join('a'), await join('b')]
    const runs = []
    for (let n = 0; n < 20; n++) runs.push(await queue(a))
    for (const run of runs) for (const { runner } of [a, b]) runner.wake(run)
    await clock.advance(3_000)
    expect(a.calls.length + b.calls.length).to.equal(20)
    for (const run of runs) expect(await statusOf(run)).to.equal('completed')
  })

  it('begin on another node while one has no place', async () => {
    const slow = Promise.withResolvers<void>()
    let calls = 0
    skills = { 'x.act': () => (calls++ === 0 ? slow.promise : null) }
    playbook = makePlaybook({ steps: [{ uses: 'x.act' }] })
    const [a, b] = [await join('a', { maxRuns: 1 }), await join('b')]
    await start(a)
    const second = await start(a)
    await clock.advance(10)
    expect(skillsOf(b)).to.deep.equal(['x.act'])
    expect(await statusOf(second)).to.equal('completed')
    slow.resolve()
    await clock.advance(10)
  })

  it('continue on another node at their time after the node that parked them was lost', async () => {
    skills = { 'x.first': () => null, 'x.second': () => null }
    playbook = makePlaybook({ steps: [{ uses: 'x.first' }, { wait: 60_000 }, { uses: 'x.second' }] })
    const [a, b] = [await join('a'), await join('b')]
    const run = await start(a)
    await clock.advance(2_000)
    // It does not act any more.
    void a.runner.drain(0)
    await lose(a, b)
    await clock.advance(50_000)
    expect(skillsOf(b)).to.deep.equal([])
    await clock.advance(10_000)
    expect(skillsOf(b)).to.deep.equal(['x.second'])
    expect(await statusOf(run)).to.equal('completed')
  })

  it('continue on another node after the node that had their turn was lost, within a second', async () => {
    let calls = 0
    skills = { 'x.act': () => (calls++ === 0 ? new Promise(() => {}) : null) }
    playbook = makePlaybook({ steps: [{ uses: 'x.act' }] })
    const [a, b] = [await join('a'), await join('b')]
    const run = await start(a)
    await clock.advance(10_000)
    expect(skillsOf(b)).to.deep.equal([])
    await lose(a, b)
    await clock.advance(1_000)
    expect(skillsOf(b)).to.deep.equal(['x.act'])
    expect(await statusOf(run)).to.equal('completed')
    nodes.shift()
  })

  it('are handed over at a regular stop as soon as the current step has ended, without a crash count', async () => {
    const slow = Promise.withResolvers<void>()
    skills = { 'x.first': () => slow.promise, 'x.second': () => null }
    playbook = makePlaybook({ steps: [{ uses: 'x.first' }, { uses: 'x.second' }] })
    const [a, b] = [await join('a'), await join('b')]
    const run = await start(a)
    const drained = a.runner.drain(20_000)
    slow.resolve()
    await settle()
    await drained
    expect(skillsOf(b)).to.deep.equal(['x.second'])
    expect(await statusOf(run)).to.equal('completed')
    expect(await b.stores.runs.suspects()).to.deep.equal([])
  })

  it('that crash nodes are watched by one node, which hands its other runs over', async () => {
    const slow = Promise.withResolvers<void>()
    const seen: string[] = []
    let poison = ''
    const act = (node: string) => async (_: unknown, attempt: { readonly idempotencyKey: string }) => {
      const isPoison = attempt.idempotencyKey.startsWith(poison)
      seen.push(`${node} ${isPoison ? 'poison' : 'other'}`)
      if (isPoison) await new Promise(() => {})
      await slow.promise
      return null
    }
    playbook = makePlaybook({ steps: [{ uses: 'x.act' }, { uses: 'x.act' }] })
    skills = { 'x.act': act('a') }
    const a = await join('a')
    skills = { 'x.act': act('b') }
    const b = await join('b')
    poison = 'none'
    const others = [await start(a), await start(b)]
    // Two nodes have crashed during the turn of the run.
    poison = (await queue(a)).uuid
    for (const _ of [1, 2]) {
      const gone = await opened.another()
      await gone.nodes.join({ name: 'gone', program: '1.0.0' })
      await gone.runs.take(poison)
      await gone.nodes.leave()
      await gone.close()
    }
    expect(await opened.stores.runs.suspects()).to.have.length(1)
    await clock.advance(6_000)
    // One of them has the quarantine, and waits until its other run can be handed over.
    expect(seen.filter((one) => one.endsWith('poison'))).to.deep.equal([])
    slow.resolve()
    await settle()
    await clock.advance(1_000)
    expect(seen.filter((one) => one.endsWith('poison'))).to.have.length(1)
    expect([a, b].map(({ runner }) => runner.suspects())).to.have.members([0, 1])
    for (const one of others) expect(await statusOf(one)).to.equal('completed')
    const watching = [a, b].find(({ runner }) => runner.suspects() === 1)!
    const free = watching === a ? b : a
    const next = await start(free)
    expect(await statusOf(next)).to.equal('completed')
    // It kills the node that watches it: now it was alone.
    await lose(watching, free)
    expect(await free.stores.runs.take(poison)).to.include({ soloCrashes: 1 })
    nodes.splice(nodes.indexOf(watching), 1)
  })
})
