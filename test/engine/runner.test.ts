import { expect } from 'chai'
import type { Run } from '../../core/domain/run.ts'
import { createRunner, type Runner, type RunnerOptions } from '../../core/engine/runner.ts'
import { NotFoundError, UnavailableError } from '../../core/errors/errors.ts'
import type { Playbook } from '../../core/playbook/playbook.ts'
import { openBench, testSkills, type Bench, type TestSkills } from './support/bench.ts'
import { makePlaybook } from './support/make-playbook.ts'
import { ManualClock, settle } from './support/manual-clock.ts'
import { unfinishedRuns } from '../support/unfinished-runs.ts'

describe('runner', () => {
  let bench: Bench
  let clock: ManualClock
  let ended: Run[]
  beforeEach(async () => {
    clock = new ManualClock()
    bench = await openBench(clock)
    ended = []
  })
  afterEach(() => bench.close())

  function start(playbook: Playbook, skills: TestSkills, options: Partial<RunnerOptions> = {}): Runner {
    const { call, interrupted } = testSkills(skills, bench.calls)
    return createRunner({
      stores: bench.stores,
      clock,
      log: bench.log,
      loadPlaybook: async () => playbook,
      skills: { call, interrupted },
      onRunEnded: (run) => ended.push(run),
      ...options,
    })
  }

  const queue = (
    organizationUuid = bench.organizationUuid,
    alertUuid: string | null = null,
    hash = 'a',
  ): Promise<Run> =>
    bench.stores.runs.queue({
      organizationUuid,
      playbookName: 'tested',
      playbookHash: hash.repeat(64),
      alertUuid,
    })
  const find = async (run: Run) => (await bench.stores.runs.find('all', run.uuid))!

  it('takes a queued run to its end: case, alert, output, and one word about it', async () => {
    await bench.stores.providers.create({ code: 'siem', name: 'SIEM' })
    const alert = await bench.stores.alerts.create({
      content: '{"user":{"email":"adam@example.org"}}',
      provider: 'siem',
      organizationUuid: bench.organizationUuid,
      type: 'impossible_travel',
      createdAtSource: null,
      createdBy: '0',
    })
    const run = await queue(bench.organizationUuid, alert.uuid)
    const playbook = makePlaybook({
      steps: [
        {
          id: 'a',
          uses: 'x.echo',
          with: { who: '${{ alert.data.user.email }}', at: '${{ organization.code }}' },
        },
      ],
      outputs: { echoed: '${{ steps.a.output }}', case: '${{ case.id }}', url: '${{ run.url }}' },
    })
    const runner = start(playbook, { 'x.echo': (input) => input })
    runner.enqueue(run)
    runner.enqueue(run)
    await settle()
    expect(await find(run)).to.deep.include({
      status: 'completed',
      caseId: 'ACME-1',
      output: { echoed: { who: 'adam@example.org', at: 'ACME' }, case: 'ACME-1', url: `/runs/${run.uuid}` },
    })
    expect(ended.map((each) => [each.uuid, each.status])).to.deep.equal([[run.uuid, 'completed']])
    const [investigated] = (await bench.stores.alerts.list('all', {}, { limit: 1 })).data
    expect(investigated).to.deep.include({ status: 15, caseId: 'ACME-1', investigator: 'tested' })
    expect((await bench.stores.cases.find('all', 'ACME-1'))?.title).to.equal(
      'impossible_travel (ACME-siem-1)',
    )
    expect(runner.load()).to.deep.equal({ queued: 0, active: 0 })
  })

  it('works on no more runs at once than it may', async () => {
    let now = 0
    let most = 0
    const release = Promise.withResolvers<void>()
    const busy = async () => {
      most = Math.max(most, ++now)
      await release.promise
      now--
    }
    const runner = start(makePlaybook({ steps: [{ uses: 'x.busy' }] }), { 'x.busy': busy }, { maxRuns: 3 })
    for (let n = 0; n < 8; n++) runner.enqueue(await queue())
    await settle()
    expect(runner.load()).to.deep.equal({ queued: 5, active: 3 })
    release.resolve()
    await settle()
    expect(most).to.equal(3)
    expect(ended).to.have.length(8)
  })

  it('lets organizations take turns', async () => {
    const other = await bench.stores.organizations.create({ code: 'BETA', name: 'Beta' })
    const runner = start(makePlaybook({ steps: [{ set: 1 }] }), {}, { maxRuns: 1 })
    const storm = await Promise.all(Array.from({ length: 6 }, () => queue()))
    const single = await queue(other.uuid)
    for (const run of [...storm, single]) runner.enqueue(run)
    await settle()
    await settle()
    expect(ended).to.have.length(7)
    expect(ended.findIndex((run) => run.uuid === single.uuid)).to.be.at.most(2)
  })

  it('keeps the troubles of one run from the others', async () => {
    const good = makePlaybook({ steps: [{ uses: 'x.echo' }] })
    const bad = makePlaybook({ steps: [{ set: '${{ alert }}' }] })
    const broken = { ...bad, steps: [{ ...bad.steps[0]!, action: 'unheard_of' }] } as unknown as Playbook
    const runner = start(
      good,
      { 'x.echo': (input) => input },
      {
        loadPlaybook: async (hash) => {
          if (hash.startsWith('b')) throw new NotFoundError('playbook_not_found', 'gone')
          return hash.startsWith('c') ? broken : good
        },
      },
    )
    const runs = [await queue(undefined, null, 'b'), await queue(undefined, null, 'c'), await queue()]
    for (const run of runs) runner.enqueue(run)
    await settle()
    const [gone, bug, fine] = await Promise.all(runs.map(find))
    expect(gone).to.deep.include({ status: 'failed', error: { code: 'playbook_not_found', message: 'gone' } })
    expect(bug).to.have.nested.property('error.code', 'internal_error')
    expect(fine).to.have.property('status', 'completed')
    expect(ended).to.have.length(3)
  })

  it('puts a run away that waits, and others have its place meanwhile', async () => {
    const playbook = makePlaybook({
      steps: [{ uses: 'x.echo' }, { if: 'run.id == inputs.slow', wait: '1h' }, { uses: 'x.echo' }],
    })
    const slow = await queue()
    const quick = await queue()
    const runner = start(
      playbook,
      { 'x.echo': (input) => input },
      {
        maxRuns: 1,
        describe: async () => ({ names: { inputs: { slow: slow.uuid } }, caseTitle: 'tested' }),
      },
    )
    runner.enqueue(slow)
    runner.enqueue(quick)
    await settle()
    expect((await find(quick)).status).to.equal('completed')
    expect(runner.load()).to.deep.equal({ queued: 0, active: 0 })
    await clock.advance(3_599_999)
    expect((await find(slow)).status).to.equal('running')
    await clock.advance(1)
    await settle()
    expect((await find(slow)).status).to.equal('completed')
    expect(bench.calls).to.have.length(4)
    expect(ended).to.have.length(2)
  })

  it('takes up what an earlier process left: queued and running ones', async () => {
    const running = await bench.startRun()
    const queued = await queue()
    const runner = start(makePlaybook({ steps: [{ set: 1 }] }), {})
    await runner.recover()
    await settle()
    expect((await find(running)).status).to.equal('completed')
    expect((await find(queued)).status).to.equal('completed')
    expect(await unfinishedRuns(bench.stores)).to.deep.equal([])
  })

  it('ends a run as failed that has brought the process down three times, and no other', async () => {
    const poison = await bench.startRun()
    const playbook = makePlaybook({ steps: [{ set: 1 }] })
    for (let crash = 1; crash < 3; crash++) {
      // As good as a crash: this runner never comes to anything.
      await start(playbook, {}, { loadPlaybook: () => new Promise(() => {}) }).recover()
      await settle()
    }
    const other = await queue()
    await start(playbook, {}).recover()
    await settle()
    expect(await find(poison)).to.have.nested.property('error.code', 'run_interrupted')
    expect((await find(other)).status).to.equal('completed')
  })

  describe('drain', () => {
    it('gives what is under way time to end, and begins nothing', async () => {
      const release = Promise.withResolvers<void>()
      const runner = start(
        makePlaybook({ steps: [{ uses: 'x.busy' }] }),
        { 'x.busy': () => release.promise },
        { maxRuns: 1 },
      )
      const [first, second] = [await queue(), await queue()]
      runner.enqueue(first)
      runner.enqueue(second)
      await settle()
      const drained = runner.drain(10_000)
      release.resolve()
      await drained
      expect((await find(first)).status).to.equal('completed')
      expect((await find(second)).status).to.equal('queued')
      expect(clock.pending).to.deep.equal([])
    })

    it('stops what does not end in time; the next process goes on with it', async () => {
      const playbook = makePlaybook({ steps: [{ uses: 'x.echo' }, { uses: 'x.hang' }, { uses: 'x.echo' }] })
      const runner = start(playbook, { 'x.echo': (input) => input, 'x.hang': () => new Promise(() => {}) })
      const run = await queue()
      runner.enqueue(run)
      await settle()
      let drained = false
      const draining = runner.drain(10_000).then(() => (drained = true))
      await clock.advance(9_999)
      expect(drained).to.equal(false)
      await clock.advance(1)
      await draining
      expect((await find(run)).status).to.equal('running')

      const next = start(playbook, { 'x.echo': (input) => input, 'x.hang': () => 'not any more' })
      await next.recover()
      await settle()
      expect((await find(run)).status).to.equal('completed')
      expect(bench.calls.map((call) => call.skill)).to.deep.equal(['x.echo', 'x.hang', 'x.hang', 'x.echo'])
    })

    it('does not wait for runs that wait, neither those put away nor those that come to a wait', async () => {
      const release = Promise.withResolvers<void>()
      const playbook = makePlaybook({
        steps: [{ if: 'run.id == inputs.busy', uses: 'x.busy' }, { wait: '1h' }],
      })
      const [parked, busy] = [await queue(), await queue()]
      const runner = start(
        playbook,
        { 'x.busy': () => release.promise },
        { describe: async () => ({ names: { inputs: { busy: busy.uuid } }, caseTitle: 'tested' }) },
      )
      runner.enqueue(parked)
      runner.enqueue(busy)
      await settle()
      expect(runner.load()).to.deep.equal({ queued: 0, active: 1 })
      const drained = runner.drain(10_000)
      release.resolve()
      await drained
      expect(runner.load()).to.deep.equal({ queued: 0, active: 0 })
      expect((await find(parked)).status).to.equal('running')
      expect((await find(busy)).status).to.equal('running')
    })
  })

  it('tries again later when the store cannot be used', async () => {
    let refusals = 2
    const { runs } = bench.stores
    const shaky = new Proxy(runs, {
      get(target, name) {
        if (name === 'end' && refusals-- > 0) {
          return () => Promise.reject(new UnavailableError('disk_full', 'full', { retryAfterMs: 1_000 }))
        }
        const member = Reflect.get(target, name) as unknown
        return typeof member === 'function' ? member.bind(target) : member
      },
    })
    const stores = { ...bench.stores, runs: shaky }
    const runner = start(
      makePlaybook({ steps: [{ uses: 'x.echo' }] }),
      { 'x.echo': (input) => input },
      { stores },
    )
    const run = await queue()
    runner.enqueue(run)
    await clock.advance(1_000)
    expect((await find(run)).status).to.equal('running')
    await clock.advance(2_000)
    expect((await find(run)).status).to.equal('completed')
    expect(bench.calls).to.have.length(1)
    expect(ended).to.have.length(1)
  })
})
