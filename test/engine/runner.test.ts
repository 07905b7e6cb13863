import { expect } from 'chai'
import type { Run } from '../../core/domain/run.ts'
import type { Runner, RunnerOptions } from '../../core/engine/turns/runner-types.ts'
import { createRunner } from '../../core/engine/turns/runner.ts'
import { currentLogFields, withLogFields } from '../../core/common/log-context.ts'
import { SkillError } from '../../core/plugin/index.ts'
import { NotFoundError, UnavailableError } from '../../core/errors/errors.ts'
import type { Playbook } from '../../core/playbook/language/playbook.ts'
import { openBench, testSkills, type Bench, type TestSkills } from './support/bench.ts'
import { makePlaybook } from './support/make-playbook.ts'
import { ManualClock, settle } from './support/manual-clock.ts'
import { unfinishedRuns } from '../support/unfinished-runs.ts'
import { somebody } from '../support/somebody.ts'

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

  const failures: Readonly<Record<string, readonly [steps: readonly object[], step: string, code: string]>> =
    {
      'a skill that fails': [[{ id: 'a', uses: 'x.fail' }], 'a', 'no'],
      'a step in a group': [
        [{ id: 'g', steps: [{ set: { x: 1 } }, { id: 'a', uses: 'x.fail' }] }],
        'g/a',
        'no',
      ],
      'a fail step': [[{ set: { x: 1 } }, { if: 'true', fail: 'broken' }], '1', 'playbook_failed'],
    }
  for (const [what, [steps, step, code]] of Object.entries(failures)) {
    it(`logs one line about a failed run without its message: ${what}`, async () => {
      const fail = () => {
        throw new SkillError('no', 'a message that may hold anything')
      }
      const run = await queue()
      const runner = start(makePlaybook({ steps }), { 'x.fail': fail })
      runner.enqueue(run)
      await settle()
      expect((await find(run)).status).to.equal('failed')
      const lines = bench.logged.filter(({ message }) => message === 'the run failed')
      expect(lines).to.deep.equal([
        { run: run.uuid, playbook: 'tested', step, code, message: 'the run failed' },
      ])
    })
  }

  it('completes a queued run with case, alert, output, and one log line', async () => {
    await bench.stores.providers.create({ code: 'siem', name: 'SIEM' }, somebody())
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
    expect(bench.logged.filter(({ message }) => message === 'the run failed')).to.deep.equal([])
    const [investigated] = (await bench.stores.alerts.list('all', {}, { limit: 1 })).data
    expect(investigated).to.deep.include({ status: 15, caseId: 'ACME-1', investigator: 'tested' })
    expect((await bench.stores.cases.find('all', 'ACME-1'))?.title).to.equal(
      'Impossible travel: adam@example.org',
    )
    expect(runner.load()).to.deep.equal({ queued: 0, active: 0 })
  })

  it('respects the limit of concurrent runs', async () => {
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

  it('logs the id of each run, and none of the previous run', async () => {
    const seen: unknown[] = []
    const look = async () => {
      await Promise.resolve()
      seen.push(currentLogFields())
    }
    const runner = start(makePlaybook({ steps: [{ uses: 'x.look' }] }), { 'x.look': look }, { maxRuns: 1 })
    const runs = [await queue(), await queue()]
    withLogFields({ request_id: 'r-1' }, () => runs.forEach((run) => runner.enqueue(run)))
    await settle()
    await settle()
    expect(seen).to.deep.equal(runs.map(({ uuid }) => ({ run: uuid })))
  })

  it('alternates between organizations', async () => {
    const other = await bench.stores.organizations.create({ code: 'BETA', name: 'Beta' }, somebody())
    const runner = start(makePlaybook({ steps: [{ set: 1 }] }), {}, { maxRuns: 1 })
    const storm = await Promise.all(Array.from({ length: 6 }, () => queue()))
    const single = await queue(other.uuid)
    for (const run of [...storm, single]) runner.enqueue(run)
    await settle()
    await settle()
    expect(ended).to.have.length(7)
    expect(ended.findIndex((run) => run.uuid === single.uuid)).to.be.at.most(2)
  })

  it('isolates the failure of one run from others', async () => {
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

  it('parks a waiting run and frees its slot', async () => {
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
        describe: async () => ({ names: { inputs: { slow: slow.uuid } }, caseTitle: () => 'tested' }),
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

  it('resumes queued and running runs of an earlier process', async () => {
    const running = await bench.startRun()
    const queued = await queue()
    const runner = start(makePlaybook({ steps: [{ set: 1 }] }), {})
    await runner.recover()
    await settle()
    expect((await find(running)).status).to.equal('completed')
    expect((await find(queued)).status).to.equal('completed')
    expect(await unfinishedRuns(bench.stores)).to.deep.equal([])
  })

  describe('after crashes of the process', () => {
    const playbook = makePlaybook({ steps: [{ id: 'only', uses: 'case.update' }] })

    /** A process that crashes `afterMs` after its start. Returns the runs whose steps it had begun. */
    async function crash(afterMs = 0): Promise<string[]> {
      const begun: string[] = []
      let isDead = false
      const mortal = <T extends object>(store: T): T =>
        new Proxy(store, {
          get(target, name) {
            const method: unknown = Reflect.get(target, name)
            if (typeof method !== 'function') return method
            return (...given: unknown[]): unknown =>
              isDead ? new Promise(() => {}) : Reflect.apply(method, target, given)
          },
        })
      const { runs, journal } = bench.stores
      const stores = { ...bench.stores, runs: mortal(runs), journal: mortal(journal) }
      const skills: TestSkills = {
        'case.update': (_, { idempotencyKey }) => {
          begun.push(idempotencyKey.split('/')[0]!)
          return new Promise(() => {})
        },
      }
      await start(playbook, skills, { stores }).recover()
      await settle()
      if (afterMs > 0) await clock.advance(afterMs)
      isDead = true
      return begun
    }

    it('resumes all active runs together after one crash, and one by one after two', async () => {
      const runs = [await bench.startRun(), await bench.startRun(), await bench.startRun()]
      expect(await crash()).to.have.length(3)
      expect(await crash(), 'the first alone').to.deep.equal([runs[0]!.uuid])
      expect(await crash(), 'once more').to.deep.equal([runs[0]!.uuid])
      // The first is given up, the others are watched for two seconds each.
      expect(await crash(20_000)).to.deep.equal([runs[1]!.uuid, runs[2]!.uuid])
    })

    it('gives up the only active run at a crash, and no other', async () => {
      const [poison, ...others] = [await bench.startRun(), await bench.startRun(), await bench.startRun()]
      await crash()
      for (let n = 0; n < 2; n++) expect(await crash()).to.deep.equal([poison.uuid])
      await start(playbook, { 'case.update': () => 1 }).recover()
      await settle()
      await clock.advance(60_000)
      expect(await find(poison)).to.have.nested.property('error.code', 'step_interrupted')
      for (const other of others) expect((await find(other)).status).to.equal('completed')
    })

    it('gives up no run after a single crash: the process may have been killed', async () => {
      const runs = [await bench.startRun(), await bench.startRun()]
      await crash()
      await crash()
      await start(playbook, { 'case.update': () => 1 }).recover()
      await settle()
      for (const run of runs) expect((await find(run)).status).to.equal('completed')
    })

    it('gives up no run that was parked since, however a process ends', async () => {
      const [poison] = [await bench.startRun(), await bench.startRun()]
      for (let n = 0; n < 3; n++) await crash()
      const more = makePlaybook({
        steps: [
          { id: 'only', uses: 'case.update', onError: 'continue' },
          { uses: 'x.busy' },
          { uses: 'x.last' },
        ],
      })
      const busy = Promise.withResolvers<void>()
      const skills: TestSkills = { 'case.update': () => 1, 'x.busy': () => busy.promise, 'x.last': () => 1 }
      const runner = start(more, skills)
      await runner.recover()
      await settle()
      await clock.advance(10_000)
      runner.pause()
      busy.resolve()
      await settle()
      runner.resume()
      await settle()
      expect(await bench.stores.journal.entry(poison.uuid, 'only')).to.nested.include({
        'error.code': 'step_interrupted',
      })
      expect(await find(poison)).to.deep.include({ status: 'completed', error: null })
    })

    it('gives up no run that was parked or ended in between', async () => {
      const waits = makePlaybook({ steps: [{ id: 'w', wait: 3_600_000 }] })
      const run = await bench.startRun()
      for (let crashes = 0; crashes < 6; crashes++) {
        await start(waits, {}).recover()
        await settle()
        await clock.advance(5_000)
      }
      await start(waits, {}).recover()
      await clock.advance(3_700_000)
      expect((await find(run)).status).to.equal('completed')
    })

    it('suspects no run after a regular stop', async () => {
      const runs = [await bench.startRun(), await bench.startRun(), await bench.startRun()]
      for (let n = 0; n < 3; n++) await crash()
      const busy: TestSkills = { 'case.update': () => new Promise(() => {}) }
      const stopped = start(playbook, busy)
      await stopped.recover()
      await settle()
      expect(stopped.suspects(), 'the first is given up').to.equal(2)
      const drained = stopped.drain(1_000)
      await settle()
      await clock.advance(1_000)
      await drained
      const next = start(playbook, busy)
      await next.recover()
      await settle()
      expect([next.suspects(), next.load().active]).to.deep.equal([0, runs.length - 1])
    })

    it('starts newly queued runs only after the suspects', async () => {
      await bench.startRun()
      await crash()
      const queued = await queue()
      expect(await crash(), 'nothing beside the suspect').to.not.include(queued.uuid)
      expect(await crash(20_000)).to.include(queued.uuid)
    })
  })

  describe('drain', () => {
    it('lets running steps end and starts nothing', async () => {
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

    it('aborts steps that do not end in time, which the next process resumes', async () => {
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

    it('ends short waits at once, also of the branches beside a step that runs', async () => {
      const release = Promise.withResolvers<void>()
      const waits = { wait: '900ms' }
      const steps = [{ if: 'run.id == inputs.busy', parallel: [{ uses: 'x.busy' }, waits] }, waits]
      const [waiting, busy] = [await queue(), await queue()]
      const names = { inputs: { busy: busy.uuid } }
      const described = { describe: async () => ({ names, caseTitle: () => 'tested' }) }
      const runner = start(makePlaybook({ steps }), { 'x.busy': () => release.promise }, described)
      runner.enqueue(waiting)
      runner.enqueue(busy)
      await settle()
      expect(runner.load()).to.deep.equal({ queued: 0, active: 2 })
      const drained = runner.drain(10_000)
      await settle()
      expect(runner.load(), 'before any time has passed').to.deep.equal({ queued: 0, active: 1 })
      release.resolve()
      await drained
      const next = start(makePlaybook({ steps }), { 'x.busy': () => 'again' }, described)
      await next.recover()
      await settle()
      await clock.advance(2_000)
      for (const run of [waiting, busy]) expect((await find(run)).status).to.equal('completed')
      expect(bench.calls).to.have.length(1)
    })

    it('does not wait for waiting runs', async () => {
      const release = Promise.withResolvers<void>()
      const playbook = makePlaybook({
        steps: [{ if: 'run.id == inputs.busy', uses: 'x.busy' }, { wait: '1h' }],
      })
      const [parked, busy] = [await queue(), await queue()]
      const runner = start(
        playbook,
        { 'x.busy': () => release.promise },
        { describe: async () => ({ names: { inputs: { busy: busy.uuid } }, caseTitle: () => 'tested' }) },
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

  it('retries later if the store fails', async () => {
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
