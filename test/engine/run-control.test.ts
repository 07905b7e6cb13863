import { expect } from 'chai'
import type { Run } from '../../core/domain/run.ts'
import { createRunControl, type RunControl } from '../../core/engine/turns/run-control.ts'
import type { Runner } from '../../core/engine/turns/runner-types.ts'
import { createRunner } from '../../core/engine/turns/runner.ts'
import { createScheduler } from '../../core/engine/turns/scheduler.ts'
import type { Playbook } from '../../core/playbook/language/playbook.ts'
import { parsed } from '../playbook/support.ts'
import { openBench, testSkills, type Bench, type TestSkills } from './support/bench.ts'
import { ManualClock, settle } from './support/manual-clock.ts'
import { somebody } from '../support/somebody.ts'

describe('run control', () => {
  let bench: Bench
  let clock: ManualClock
  let ended: Run[]
  beforeEach(async () => {
    clock = new ManualClock()
    bench = await openBench(clock)
    ended = []
  })
  afterEach(() => bench.close())

  /** A process that executes runs of this playbook. */
  function open(
    playbook: Playbook,
    skills: TestSkills = {},
  ): { readonly runner: Runner; readonly control: RunControl } {
    const { call, interrupted } = testSkills(skills, bench.calls)
    const runner = createRunner({
      stores: bench.stores,
      clock,
      log: bench.log,
      loadPlaybook: async () => playbook,
      skills: { call, interrupted },
      onRunEnded: (run) => ended.push(run),
    })
    const control = createRunControl({
      stores: bench.stores,
      runner,
      clock,
      schemas: () => undefined,
      onRunEnded: (run) => ended.push(run),
    })
    return { runner, control }
  }
  const playbookOf = (steps: string, rest = '') =>
    parsed(`apiVersion: tocsin/v1\nname: tested\non: { manual: true }\nsteps:\n${steps}\n${rest}`)
  const organizationOf = async () => (await bench.stores.organizations.list('all'))[0]!
  const start = async (control: RunControl, playbook: Playbook, inputs = {}) => {
    const run = await control.start({ playbook, organization: await organizationOf(), inputs })
    await settle()
    return run
  }
  const find = async (run: Run) => (await bench.stores.runs.find('all', run.uuid))!
  const answer = async (control: RunControl, value: string) => {
    const [checkpoint] = (await bench.stores.checkpoints.list('all', { limit: 1 }, { state: 'waiting' })).data
    const result = await control.answer('all', checkpoint!.id, { value, by: somebody('anna'), text: null })
    await settle()
    return result
  }

  const asking = playbookOf(
    '  - { id: ask, checkpoint: { via: operator, with: { message: "You?" }, answers: [yes, no], timeout: 1h } }',
    'outputs: { said: "${{ steps.ask.output.answer }}" }',
  )

  it('wakes a parked run when its checkpoint is answered', async () => {
    const { runner, control } = open(asking)
    const run = await start(control, asking)
    expect(await find(run)).to.include({ status: 'waiting' })
    expect(runner.load(), 'no memory while it waits').to.deep.equal({ queued: 0, active: 0 })
    await answer(control, 'no')
    expect(await find(run)).to.deep.include({ status: 'completed', output: { said: 'no' } })
    expect(runner.load()).to.deep.equal({ queued: 0, active: 0 })
  })

  it('resumes a run whose checkpoint was answered or timed out while no process ran', async () => {
    const first = open(asking)
    const [answered, silent] = [await start(first.control, asking), await start(first.control, asking)]
    await first.runner.drain(0)
    const checkpoints = (await bench.stores.checkpoints.list('all', { limit: 2 }, { state: 'waiting' })).data
    const own = checkpoints.find(({ runUuid }) => runUuid === answered.uuid)!
    await bench.stores.checkpoints.answer(own.id, { value: 'yes', text: null }, somebody('anna'))
    clock.jump(2 * 3_600_000)
    const { runner } = open(asking)
    await runner.recover()
    await settle()
    expect(await find(answered)).to.deep.include({ status: 'completed', output: { said: 'yes' } })
    expect(await find(silent)).to.nested.include({ status: 'failed', 'error.code': 'checkpoint_timeout' })
  })

  it('cancels a running, a waiting and a queued run', async () => {
    const hanging = playbookOf(
      '  - { uses: case.update }',
      'finally: [{ uses: case.update, with: { summary: x } }]',
    )
    const skills: TestSkills = {
      'case.update': (input) => ('summary' in (input as object) ? 1 : new Promise(() => {})),
    }
    const { control } = open(hanging, skills)
    const working = await start(control, hanging)
    await control.cancel('all', working.uuid, somebody('anna'))
    await settle()
    expect(await find(working)).to.include({ status: 'cancelled' })
    expect(bench.calls, 'finally runs all the same').to.have.length(2)

    const other = open(asking)
    const waiting = await start(other.control, asking)
    await other.control.cancel('all', waiting.uuid, somebody('anna'))
    await settle()
    expect(await find(waiting)).to.include({ status: 'cancelled' })

    const before = ended.length
    const queued = await bench.stores.runs.queue({
      organizationUuid: bench.organizationUuid,
      playbookName: 'tested',
      playbookHash: 'a',
      alertUuid: null,
    })
    await other.control.cancel('all', queued.uuid, somebody('anna'))
    await settle()
    expect(await find(queued)).to.include({ status: 'cancelled', caseId: null })
    expect(ended.length, 'whoever waits for it is told').to.equal(before + 1)
  })

  it('cancels a run even if the process stops before it notices', async () => {
    const first = open(asking)
    const run = await start(first.control, asking)
    await first.runner.drain(0)
    await bench.stores.runs.cancel('all', run.uuid, somebody('anna'))
    await open(asking).runner.recover()
    await settle()
    expect(await find(run)).to.include({ status: 'cancelled' })
  })

  it('resumes a step with unknown outcome as decided', async () => {
    const scanning = playbookOf('  - { id: s, uses: case.update }', 'outputs: { s: "${{ steps.s.output }}" }')
    const hanging: TestSkills = { 'case.update': { interrupted: 'ask', run: () => new Promise(() => {}) } }
    const first = open(scanning, hanging)
    const run = await start(first.control, scanning)
    const drained = first.runner.drain(0)
    await clock.advance(1)
    await drained
    const { runner, control } = open(scanning, hanging)
    await runner.recover()
    await settle()
    expect(await find(run)).to.include({ status: 'waiting' })
    expect(runner.load()).to.include({ active: 0 })
    await control.resolve('all', run.uuid, 's', {
      decision: 'ran',
      output: { done: true },
      by: somebody('anna'),
    })
    await settle()
    expect(await find(run)).to.deep.include({ status: 'completed', output: { s: { done: true } } })
  })

  it('checks inputs and applies defaults before a run is queued', async () => {
    const playbook = parsed(
      'apiVersion: tocsin/v1\nname: x\non: { manual: true }\ninputs: { who: { type: string }, within: { type: duration, default: 5m } }\nsteps: [{ return: "${{ inputs.who }} ${{ inputs.within > duration(\'4m\') }}" }]',
    )
    const { control } = open(playbook)
    const refused = await start(control, playbook, { who: 7 }).catch((error: unknown) => error)
    expect(refused).to.include({ code: 'inputs_invalid' })
    const run = await start(control, playbook, { who: 'eve' })
    expect(await find(run)).to.deep.include({
      inputs: { who: 'eve', within: '5m' },
      status: 'completed',
      output: 'eve true',
    })
  })

  it('starts runs with the same concurrency key one after the other', async () => {
    const playbook = parsed(
      'apiVersion: tocsin/v1\nname: tested\non: { manual: true }\ninputs: { host: { type: string } }\nconcurrency: { key: "host ${{ inputs.host }}" }\nsteps: [{ uses: case.update }]',
    )
    const release: (() => void)[] = []
    const { control } = open(playbook, {
      'case.update': () => new Promise((resolve) => release.push(() => resolve(1))),
    })
    const runs = [
      await start(control, playbook, { host: 'a' }),
      await start(control, playbook, { host: 'a' }),
      await start(control, playbook, { host: 'b' }),
    ]
    const statuses = async () => Promise.all(runs.map(async (run) => (await find(run)).status))
    expect(await statuses()).to.deep.equal(['running', 'queued', 'running'])
    release[0]!()
    await settle()
    expect(await statuses()).to.deep.equal(['completed', 'running', 'running'])
    release[1]!()
    release[2]!()
    await settle()
    expect(await statuses()).to.deep.equal(['completed', 'completed', 'completed'])
  })

  describe('schedules', () => {
    const patrol = parsed(
      'apiVersion: tocsin/v1\nname: patrol\non: { schedule: "0 * * * *" }\nsteps: [{ uses: case.update }]',
    )
    const schedule = (enqueue: (run: Run) => void, playbooks: readonly Playbook[] = [patrol]) =>
      createScheduler({ stores: bench.stores, clock, log: bench.log, playbooks: () => playbooks, enqueue })
    const hourMs = 3_600_000
    const skipped = () =>
      bench.logged.filter(({ message }) => String(message).startsWith('scheduled run skipped')).length

    it('start a run at each due time', async () => {
      const { runner } = open(patrol, { 'case.update': () => 1 })
      const scheduler = schedule((run) => runner.enqueue(run))
      await scheduler.start()
      await clock.advance(3 * hourMs)
      expect(ended.map(({ status }) => status)).to.deep.equal(['completed', 'completed', 'completed'])
      scheduler.stop()
      await clock.advance(2 * hourMs)
      expect(ended).to.have.length(3)
    })

    it('fire once for all due times while no process ran', async () => {
      const queued: Run[] = []
      const first = schedule((run) => queued.push(run))
      await first.start()
      first.stop()
      clock.jump(10 * hourMs)
      const second = schedule((run) => queued.push(run))
      await second.start()
      await settle()
      await clock.advance(1)
      expect(queued).to.have.length(1)
      second.stop()
    })

    it('begin for an organization when it is added', async () => {
      const queued: Run[] = []
      const scheduler = schedule((run) => queued.push(run))
      await scheduler.start()
      const beta = await bench.stores.organizations.create({ code: 'BETA', name: 'Beta' }, somebody())
      await scheduler.takeOver()
      await clock.advance(hourMs)
      expect(queued.map(({ organizationUuid }) => organizationUuid)).to.have.members([
        bench.organizationUuid,
        beta.uuid,
      ])
      scheduler.stop()
    })

    it('try a playbook that cannot start only at its due times', async () => {
      const needy = parsed(
        'apiVersion: tocsin/v1\nname: patrol\non: { schedule: "0 * * * *" }\nconcurrency: { key: "${{ [\'a\'][size(organization.name)] }}", policy: queue }\nsteps: [{ set: { a: 1 } }]',
      )
      const scheduler = schedule(() => {}, [needy])
      await scheduler.start()
      const errors = () =>
        bench.logged.filter(({ message }) => message === 'could not queue a scheduled run').length
      await clock.advance(2 * hourMs)
      expect(errors()).to.equal(2)
      scheduler.stop()
    })

    it('skip a time while the previous run is still running', async () => {
      const queued: Run[] = []
      const scheduler = schedule((run) => queued.push(run))
      await scheduler.start()
      await clock.advance(3 * hourMs)
      expect(queued).to.have.length(1)
      expect(skipped()).to.equal(2)
      scheduler.stop()
    })

    it('start one run on several nodes, and the others say nothing', async () => {
      const { runner } = open(patrol, { 'case.update': () => 1 })
      const nodes = [schedule((run) => runner.enqueue(run)), schedule((run) => runner.enqueue(run))]
      for (const node of nodes) await node.start()
      await clock.advance(2 * hourMs)
      expect(ended).to.have.length(2)
      expect(skipped()).to.equal(0)
      for (const node of nodes) node.stop()
    })

    it('begin for an organization that another node has added, if that stops', async () => {
      const queued: Run[] = []
      const scheduler = schedule((run) => queued.push(run))
      await scheduler.start()
      const beta = await bench.stores.organizations.create({ code: 'BETA', name: 'Beta' }, somebody())
      await scheduler.follow()
      await clock.advance(hourMs)
      expect(queued.map(({ organizationUuid }) => organizationUuid)).to.include(beta.uuid)
      scheduler.stop()
    })
  })
})
