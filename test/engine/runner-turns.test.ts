import { expect } from 'chai'
import type { Run } from '../../core/domain/run.ts'
import { createRunControl } from '../../core/engine/turns/run-control.ts'
import type { Runner, RunnerOptions } from '../../core/engine/turns/runner-types.ts'
import { createRunner } from '../../core/engine/turns/runner.ts'
import { UnavailableError } from '../../core/errors/errors.ts'
import type { Playbook } from '../../core/playbook/language/playbook.ts'
import type { RunStore } from '../../core/ports/runs/run-store.ts'
import { unfinishedRuns } from '../support/unfinished-runs.ts'
import { openBench, testSkills, type Bench, type TestSkills } from './support/bench.ts'
import { makePlaybook } from './support/make-playbook.ts'
import { ManualClock, settle } from './support/manual-clock.ts'
import { somebody } from '../support/somebody.ts'

describe('turns of runs', () => {
  let bench: Bench
  let clock: ManualClock
  let ended: Run[]
  beforeEach(async () => {
    clock = new ManualClock()
    bench = await openBench(clock)
    ended = []
  })
  afterEach(() => bench.close())

  const quick = makePlaybook({ steps: [{ set: 1 }] })
  const waiting = makePlaybook({ steps: [{ wait: '1h' }] })
  const asking = makePlaybook({
    steps: [{ id: 'ask', checkpoint: { answers: ['yes'], withinMs: 86_400_000 } }],
  })
  const echo: TestSkills = { 'x.echo': (input) => input, 'x.busy': () => null }

  function start(
    playbook: Playbook,
    options: Partial<RunnerOptions> = {},
    skills: TestSkills = echo,
  ): Runner {
    return createRunner({
      stores: bench.stores,
      clock,
      log: bench.log,
      loadPlaybook: async () => playbook,
      skills: testSkills(skills, bench.calls),
      onRunEnded: (run) => ended.push(run),
      ...options,
    })
  }
  const queue = (organizationUuid = bench.organizationUuid, key?: string): Promise<Run> =>
    bench.stores.runs.queue({
      organizationUuid,
      playbookName: 'tested',
      playbookHash: 'a'.repeat(64),
      alertUuid: null,
      ...(key === undefined ? {} : { concurrency: { key, policy: 'queue' } }),
    })
  const find = async (run: Run) => (await bench.stores.runs.find('all', run.uuid))!
  /** The stores, with some methods of the run store replaced. */
  const withRuns = (changes: Partial<RunStore>) => {
    const { runs } = bench.stores
    const get = (target: RunStore, name: string | symbol): unknown =>
      changes[name as keyof RunStore] ?? target[name as keyof RunStore].bind(target)
    return { ...bench.stores, runs: new Proxy(runs, { get }) }
  }
  const control = (runner: Runner) =>
    createRunControl({ stores: bench.stores, clock, runner, schemas: () => undefined })
  const answer = async (run: Run): Promise<string> =>
    (await bench.stores.checkpoints.atPath(run.uuid, 'ask'))?.id ?? expect.fail('nobody was asked')
  const yes = { value: 'yes', text: null }

  it('load runs left by an earlier process in pages, in fair order', async () => {
    const beta = await bench.stores.organizations.create({ code: 'BETA', name: 'Beta' }, somebody())
    for (let n = 0; n < 40; n++) await queue()
    const single = await queue(beta.uuid)
    const pages: number[] = []
    const stores = withRuns({
      due: async (organization, limit) => {
        const found = await bench.stores.runs.due(organization, limit)
        pages.push(found.length)
        return found
      },
    })
    const runner = start(quick, { stores, maxRuns: 2, maxInMemory: 4 })
    await runner.recover()
    expect(runner.queuedOf(bench.organizationUuid)).to.equal(40)
    while (ended.length < 41) await settle()
    expect(Math.max(...pages)).to.be.at.most(4 + 4 + 2)
    expect(ended.findIndex(({ uuid }) => uuid === single.uuid)).to.be.at.most(4)
    expect(new Set(ended.map(({ uuid }) => uuid)).size).to.equal(41)
    expect(await unfinishedRuns(bench.stores)).to.deep.equal([])
    expect(runner.queuedOf(bench.organizationUuid)).to.equal(0)
  })

  it('reach another organization although the runs of one hang', async () => {
    const beta = await bench.stores.organizations.create({ code: 'BETA', name: 'Beta' }, somebody())
    const playbook = makePlaybook({ steps: [{ if: 'inputs.hangs', uses: 'x.hang' }] })
    const hanging = { 'x.hang': () => new Promise(() => {}) }
    const describe = async ({ organizationUuid }: Run) => ({
      names: { inputs: { hangs: organizationUuid === bench.organizationUuid } },
      caseTitle: () => 'tested',
    })
    for (let n = 0; n < 20; n++) await queue()
    const runner = start(playbook, { maxRuns: 5, describe }, hanging)
    await runner.recover()
    await settle()
    expect(runner.load().active).to.equal(4)
    const single = await queue(beta.uuid)
    runner.enqueue(single)
    await settle()
    expect((await find(single)).status).to.equal('completed')
    const drained = runner.drain(1)
    await clock.advance(1)
    await drained
  })

  it('resume runs parked by an earlier process on time, however many', async () => {
    const first = start(waiting)
    for (let n = 0; n < 30; n++) first.enqueue(await queue())
    await settle()
    await first.drain(1_000)
    const runner = start(waiting, { maxInMemory: 4 })
    await runner.recover()
    await clock.advance(3_599_000)
    expect(ended).to.have.length(0)
    await clock.advance(1_000)
    while (ended.length < 30) await settle()
    expect(await unfinishedRuns(bench.stores)).to.deep.equal([])
  })

  it('come again if an answer arrived just as the run was parked', async () => {
    for (const isAnsweredFirst of [true, false]) {
      const run = await queue()
      const stores = withRuns({
        park: async (uuid, wakeAt) => {
          if (isAnsweredFirst) await bench.stores.checkpoints.answer(await answer(run), yes, somebody('anna'))
          const isParked = await bench.stores.runs.park(uuid, wakeAt)
          if (!isAnsweredFirst)
            await control(runner).answer('all', await answer(run), { ...yes, by: somebody('anna') })
          return isParked
        },
      })
      const runner = start(asking, { stores })
      runner.enqueue(run)
      await settle()
      await settle()
      expect((await find(run)).status).to.equal('completed')
    }
  })

  it('end at the current step when the process stops, which is not a crash of the run', async () => {
    const playbook = makePlaybook({ steps: [{ uses: 'x.busy' }, { uses: 'x.echo' }] })
    const run = await queue()
    const { promise, resolve } = Promise.withResolvers<void>()
    const first = start(playbook, {}, { ...echo, 'x.busy': () => promise })
    first.enqueue(run)
    await settle()
    const drained = first.drain(10_000)
    resolve()
    await drained
    expect(bench.calls.map(({ skill }) => skill)).to.deep.equal(['x.busy'])
    for (let stop = 0; stop < 4; stop++) {
      // Each ends before the run makes progress.
      let drained = Promise.resolve()
      const loadPlaybook = async () => {
        drained = runner.drain(1_000)
        return playbook
      }
      const runner = start(playbook, { loadPlaybook })
      await runner.recover()
      await settle()
      await drained
      expect((await find(run)).status).to.equal('running')
    }
    const last = start(playbook)
    await last.recover()
    await settle()
    expect(await find(run)).to.deep.include({ status: 'completed', error: null })
    expect(await bench.stores.journal.failedAttempts(run.uuid)).to.deep.equal([])
  })

  it('start no run while paused, and running steps end', async () => {
    const playbook = makePlaybook({ steps: [{ uses: 'x.busy' }, { uses: 'x.echo' }] })
    const { promise, resolve } = Promise.withResolvers<void>()
    const runner = start(playbook, {}, { ...echo, 'x.busy': () => promise })
    const [first, second] = [await queue(), await queue()]
    runner.enqueue(first)
    await settle()
    runner.pause()
    runner.enqueue(second)
    resolve()
    await settle()
    expect(bench.calls.map(({ skill }) => skill)).to.deep.equal(['x.busy'])
    expect(runner.load()).to.deep.equal({ queued: 2, active: 0 })
    expect((await find(second)).status).to.equal('queued')
    runner.resume()
    await settle()
    expect([(await find(first)).status, (await find(second)).status]).to.deep.equal([
      'completed',
      'completed',
    ])
  })

  it("do not start while background work of the run's previous turn is running", async () => {
    const checkpoint = { via: 'chat.ask', with: {}, answers: ['yes'], withinMs: 86_400_000 }
    const playbook = makePlaybook({
      steps: [{ id: 'ask', checkpoint }, { uses: 'x.busy' }, { uses: 'x.echo' }],
    })
    const busy = Promise.withResolvers<void>()
    const shown = Promise.withResolvers<void>()
    const runner = start(
      playbook,
      {},
      {
        ...echo,
        'x.busy': () => busy.promise,
        'chat.ask': { run: () => ({ asked: 'anna' }), settle: () => shown.promise },
      },
    )
    const run = await queue()
    runner.enqueue(run)
    await settle()
    await control(runner).answer('all', await answer(run), { ...yes, by: somebody('anna') })
    await settle()
    runner.pause()
    busy.resolve()
    await settle()
    runner.resume()
    await settle()
    shown.resolve()
    await settle()
    expect((await find(run)).status).to.equal('completed')
    expect(bench.calls.map(({ purpose, skill }) => `${purpose} ${skill}`)).to.deep.equal([
      'run chat.ask',
      'settle chat.ask',
      'run x.busy',
      'run x.echo',
    ])
  })

  it('resume a held branch right after a pause, although another branch waits for days', async () => {
    const branch = { steps: [{ uses: 'x.busy' }, { uses: 'x.echo' }] }
    const playbook = makePlaybook({ steps: [{ parallel: [{ wait: '3d' }, branch] }] })
    for (const how of ['resume', 'next process'] as const) {
      bench.calls.length = 0
      const { promise, resolve } = Promise.withResolvers<void>()
      const runner = start(playbook, {}, { ...echo, 'x.busy': () => promise })
      runner.enqueue(await queue())
      await settle()
      const drained = how === 'resume' ? runner.pause() : runner.drain(10_000)
      resolve()
      await settle()
      await drained
      if (how === 'resume') runner.resume()
      else await start(playbook).recover()
      await settle()
      expect(
        bench.calls.map(({ skill }) => skill),
        how,
      ).to.deep.equal(['x.busy', 'x.echo'])
    }
  })

  it('do not end while a called playbook is loaded, although another branch waits for days', async () => {
    const called = { ...makePlaybook({ name: 'called', steps: [{ uses: 'x.echo' }] }), hash: 'b'.repeat(64) }
    const playbook = makePlaybook({ steps: [{ parallel: [{ wait: '3d' }, { call: 'called', with: {} }] }] })
    const loadPlaybook = async (hash: string) => {
      if (hash !== called.hash) return playbook
      for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate)
      return called
    }
    const runner = start(playbook, { loadPlaybook, newestPlaybook: () => called.hash })
    runner.enqueue(await queue())
    await settle()
    expect(bench.calls.map(({ skill }) => skill)).to.deep.equal(['x.echo'])
    expect(runner.load()).to.deep.equal({ queued: 0, active: 0 })
  })

  it('reach the next run of a concurrency key that was deferred just as the previous one ended', async () => {
    const held = Promise.withResolvers<void>()
    const stores = withRuns({
      start: async (uuid, newCase) => {
        const started = await bench.stores.runs.start(uuid, newCase)
        if (started === undefined) await held.promise
        return started
      },
    })
    const runner = start(waiting, { stores })
    const [first, second] = [await queue(undefined, 'k'), await queue(undefined, 'k')]
    runner.enqueue(first)
    runner.enqueue(second)
    await settle()
    await clock.advance(3_600_000)
    expect((await find(first)).status).to.equal('completed')
    held.resolve()
    await settle()
    expect((await find(second)).status).to.equal('running')
  })

  it('wait for a failing store without affecting others', async () => {
    let refusals = 3
    let starts = 0
    const stores = withRuns({
      start: async (uuid, newCase) => {
        starts++
        if (refusals-- > 0) throw new UnavailableError('disk_full', 'full', { retryAfterMs: 1_000 })
        return await bench.stores.runs.start(uuid, newCase)
      },
    })
    const runner = start(quick, { stores, maxRuns: 1 })
    for (let n = 0; n < 5; n++) runner.enqueue(await queue())
    await settle()
    expect([starts, runner.load().queued]).to.deep.equal([1, 4])
    await clock.advance(10_000)
    await settle()
    expect(ended).to.have.length(5)
    expect(starts).to.equal(3 + 5)
  })

  it('are counted while runs are queued for the first time: queued, deferred by another run, cancelled', async () => {
    const runner = start(waiting)
    const queued = () => runner.queuedOf(bench.organizationUuid)
    const [first, second, third] = [
      await queue(undefined, 'k'),
      await queue(undefined, 'k'),
      await queue(undefined, 'k'),
    ]
    for (const run of [first, second, third]) runner.enqueue(run)
    expect(queued()).to.equal(3)
    await settle()
    expect(queued(), 'the first runs, the others wait for it').to.equal(2)
    await control(runner).cancel('all', second.uuid, somebody('anna'))
    await settle()
    expect(queued()).to.equal(1)
    await clock.advance(3_600_000)
    await settle()
    expect([(await find(first)).status, (await find(third)).status]).to.deep.equal(['completed', 'running'])
    expect(queued()).to.equal(0)
  })
})
