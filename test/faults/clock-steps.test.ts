import { expect } from 'chai'
import type { Run } from '../../core/domain/run.ts'
import type { Runner, RunnerOptions } from '../../core/engine/turns/runner-types.ts'
import { createRunner } from '../../core/engine/turns/runner.ts'
import { createScheduler } from '../../core/engine/turns/scheduler.ts'
import type { Playbook } from '../../core/playbook/language/playbook.ts'
import { RetryableError } from '../../core/plugin/index.ts'
import { openBench, testSkills, type Bench, type TestSkills } from '../engine/support/bench.ts'
import { ManualClock, settle } from '../engine/support/manual-clock.ts'
import { parsed } from '../playbook/support.ts'
import { somebody } from '../support/somebody.ts'

const minute = 60_000
const hour = 60 * minute

const playbookOf = (steps: string, trigger = 'manual: true') =>
  parsed(`apiVersion: tocsin/v1\nname: tested\non: { ${trigger} }\nsteps:\n${steps}`)

describe('a clock change while runs wait', () => {
  let bench: Bench
  let clock: ManualClock
  let runner: Runner | undefined
  let ended: Run[]

  beforeEach(async () => {
    clock = new ManualClock()
    bench = await openBench(clock)
    ended = []
  })
  afterEach(async () => {
    await runner?.drain(0)
    await bench.close()
  })

  /** A process that resumes the existing runs. */
  async function open(
    playbook: Playbook,
    skills: TestSkills = {},
    more: Pick<RunnerOptions, 'maxInMemory'> = {},
  ): Promise<Runner> {
    const { call, interrupted } = testSkills(skills, bench.calls)
    runner = createRunner({
      stores: bench.stores,
      clock,
      log: bench.log,
      loadPlaybook: async () => playbook,
      skills: { call, interrupted },
      onRunEnded: (run) => ended.push(run),
      ...more,
    })
    await runner.recover()
    await settle()
    return runner
  }

  async function restart(playbook: Playbook, skills?: TestSkills): Promise<void> {
    await runner?.drain(0)
    await open(playbook, skills)
  }

  async function queue(): Promise<Run> {
    const [organization] = await bench.stores.organizations.list('all')
    return bench.stores.runs.queue({
      organizationUuid: organization!.uuid,
      playbookName: 'tested',
      playbookHash: 'a'.repeat(64),
      alertUuid: null,
    })
  }

  const waits: Readonly<Record<string, { playbook: Playbook; skills: () => TestSkills }>> = {
    'a wait': { playbook: playbookOf('  - { id: w, wait: 30m }'), skills: () => ({}) },
    'a checkpoint’s timeout': {
      playbook: playbookOf(
        '  - { id: w, checkpoint: { via: operator, with: { message: Hm? }, answers: [yes], timeout: 30m, on_timeout: none } }',
      ),
      skills: () => ({}),
    },
    'the time before another try': {
      playbook: playbookOf(
        '  - { id: w, uses: case.update, retry: { max: 1, backoff: 30m, max_backoff: 30m } }',
      ),
      skills() {
        let tried = 0
        return {
          'case.update': () => {
            if (++tried === 1) throw new RetryableError('http_503', 'busy')
            if (tried > 2) throw new Error('tried too often')
            return {}
          },
        }
      },
    },
  }
  for (const [name, { playbook, skills }] of Object.entries(waits)) {
    for (const restarts of [false, true]) {
      const how = restarts ? ', with a restart after it' : ''
      const step = async (ms: number, own: TestSkills) => {
        clock.jump(ms)
        if (restarts) await restart(playbook, own)
      }
      const entries = async ({ uuid }: Run) =>
        (await bench.stores.journal.entries(uuid)).map(({ path }) => path)

      it(`ends ${name} once, soon after the clock was set forward past its end${how}`, async () => {
        const own = skills()
        const run = await queue()
        await open(playbook, own)
        await clock.advance(minute)
        expect(ended).to.have.length(0)
        await step(2 * hour, own)
        await clock.advance(5 * minute) // maximum time to notice
        expect(ended.map(({ status }) => status)).to.deep.equal(['completed'])
        await step(-2 * hour, own)
        await clock.advance(3 * hour)
        expect(ended).to.have.length(1)
        expect(await entries(run)).to.deep.equal(['w'])
      })

      it(`ends ${name} once, when the clock that was set back reaches its end${how}`, async () => {
        const own = skills()
        const run = await queue()
        await open(playbook, own)
        await clock.advance(minute)
        await step(-2 * hour, own)
        await clock.advance(hour)
        expect(ended).to.have.length(0)
        await clock.advance(2 * hour)
        expect(ended.map(({ status }) => status)).to.deep.equal(['completed'])
        expect(await entries(run)).to.deep.equal(['w'])
      })
    }
  }

  describe('to an earlier time keeps due turns', () => {
    const short = playbookOf('  - { id: s, set: { done: true } }')
    const asking = playbookOf(
      '  - { id: w, checkpoint: { via: operator, with: { message: Hm? }, answers: [yes], timeout: 5h, on_timeout: none } }',
    )

    it('of queued runs, including those not in memory', async () => {
      const own = await open(short, {}, { maxInMemory: 10 })
      own.pause()
      for (let n = 0; n < 40; n++) own.enqueue(await queue())
      clock.jump(-2 * hour)
      own.resume()
      await settle()
      expect(ended).to.have.length(40)
      expect(own.load()).to.deep.equal({ queued: 0, active: 0 })
    })

    it('of an answered run', async () => {
      const own = await open(asking)
      const run = await queue()
      own.enqueue(run)
      await settle()
      own.pause()
      const question = await bench.stores.checkpoints.atPath(run.uuid, 'w')
      const answered = { value: 'yes', text: null }
      const { outcome } = await bench.stores.checkpoints.answer(question!.id, answered, somebody('anna'))
      expect(outcome).to.equal('accepted')
      own.wake(run)
      clock.jump(-2 * hour)
      own.resume()
      await settle()
      expect(ended.map(({ status }) => status)).to.deep.equal(['completed'])
    })

    for (const maxInMemory of [4, 1_000]) {
      it(`of waits that ended during an outage, which end on time (${maxInMemory} in memory)`, async () => {
        const own = await open(playbookOf('  - { id: w, wait: 30m }'), {}, { maxInMemory })
        for (let n = 0; n < 20; n++) own.enqueue(await queue())
        await settle()
        own.pause()
        await clock.advance(hour)
        clock.jump(-2 * hour)
        own.resume()
        await settle()
        expect(ended).to.have.length(0)
        await clock.advance(2 * hour)
        expect(ended).to.have.length(20)
      })
    }
  })

  describe('lets a schedule', () => {
    const patrol = playbookOf('  - set: { done: true }', 'schedule: { cron: "0 * * * *" }')
    let queued: Run[]
    beforeEach(() => {
      queued = []
    })

    async function schedule() {
      const scheduler = createScheduler({
        stores: bench.stores,
        clock,
        log: bench.log,
        playbooks: () => [patrol],
        enqueue: (run) => void queued.push(run),
      })
      await scheduler.start()
      return scheduler
    }
    const endAll = async () => {
      for (const { uuid } of queued)
        await bench.stores.runs.cancel('all', uuid, somebody('anna')).catch(() => undefined)
    }

    it('fire once for all skipped times', async () => {
      const scheduler = await schedule()
      clock.jump(10 * hour + minute)
      await clock.advance(5 * minute)
      expect(queued).to.have.length(1)
      scheduler.stop()
    })

    it('fire only once if the clock is set back slightly', async () => {
      const scheduler = await schedule()
      await clock.advance(hour)
      expect(queued).to.have.length(1)
      await endAll()
      clock.jump(-30 * minute)
      await clock.advance(59 * minute)
      expect(queued).to.have.length(1)
      scheduler.stop()
    })

    it('continue after a restart if the clock was days ahead and is correct again', async () => {
      clock.jump(240 * hour)
      let scheduler = await schedule()
      await clock.advance(hour)
      await endAll()
      expect(queued).to.have.length(1)
      clock.jump(-240 * hour)
      scheduler.stop()
      scheduler = await schedule()
      await clock.advance(hour)
      expect(queued).to.have.length(2)
      scheduler.stop()
    })
  })
})
