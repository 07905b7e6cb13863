import { expect } from 'chai'
import type { Run } from '../../core/domain/run.ts'
import { RunSuspended } from '../../core/engine/journal/durable-context.ts'
import { createWakeUps } from '../../core/engine/journal/wake-ups.ts'
import { RetryableError, SkillError } from '../../core/plugin/index.ts'
import { openBench, type Bench, type TestSkill } from './support/bench.ts'
import { makePlaybook } from './support/make-playbook.ts'
import { ManualClock, settle } from './support/manual-clock.ts'
import { somebody } from '../support/somebody.ts'

const minute = 60_000

/** Background tasks of a run that asks. */
describe('a question', () => {
  let bench: Bench
  let clock: ManualClock
  let run: Run
  beforeEach(async () => {
    clock = new ManualClock()
    bench = await openBench(clock)
    run = await bench.startRun()
  })
  afterEach(() => bench.close())

  const start = (skill: Partial<TestSkill>, given: object = {}, after: readonly object[] = []) => {
    const wakeUps = createWakeUps()
    const stop = new AbortController()
    const cancel = new AbortController()
    const checkpoint = {
      via: 'chat.ask',
      with: { message: 'You?', ...given },
      answers: ['mine', 'not_mine'],
      withinMs: 10 * minute,
      onTimeout: 'nobody',
    }
    const playbook = makePlaybook({
      steps: [{ id: 'confirm', checkpoint }, ...(after as never[])],
      outputs: '${{ steps.confirm.output.answer }}',
    })
    const skills = {
      'chat.ask': { run: () => ({ asked: 'U1', ts: '17.5' }), ...skill },
      'x.after': () => 'done',
    }
    const options = { run, wakeUps, stop: stop.signal, cancel: cancel.signal }
    const going = bench.go(playbook, skills, options)
    going.catch(() => {})
    const halt = async () => {
      stop.abort()
      expect(await going.catch((error: unknown) => error)).to.be.instanceOf(RunSuspended)
    }
    return { going, wakeUps, stop, cancel, halt }
  }
  const question = async () => (await bench.stores.checkpoints.atPath(run.uuid, 'confirm'))!
  const answer = async () => {
    const given = { value: 'mine', text: 'sorry' }
    return await bench.stores.checkpoints.answer((await question()).id, given, somebody('U1'))
  }
  const calls = (purpose: string) => bench.calls.filter((call) => call.purpose === purpose)
  const entry = async (path: string) => await bench.stores.journal.entry(run.uuid, path)

  describe('that ended', () => {
    const settles = { settle: () => {} }

    it('is settled: the skill receives its input, its output and the outcome', async () => {
      const { going, wakeUps } = start(settles)
      await settle()
      await answer()
      wakeUps.wake()
      expect(await going).to.include({ status: 'completed', output: 'mine' })
      const [called, ...more] = calls('settle')
      expect(more).to.deep.equal([])
      const { id } = await question()
      expect(called).to.deep.equal({
        purpose: 'settle',
        skill: 'chat.ask',
        input: { message: 'You?', checkpoint_id: id, answers: ['mine', 'not_mine'] },
        key: `${run.uuid}/confirm/@settle`,
        attempt: 1,
        asked: {
          output: { asked: 'U1', ts: '17.5' },
          outcome: {
            state: 'answered',
            value: 'mine',
            by: 'U1',
            byKind: 'api_key',
            text: 'sorry',
            at: clock.now(),
          },
        },
      })
      expect(await entry('confirm/@settle')).to.include({ state: 'completed' })
    })

    it('is settled after a timeout and after a cancellation too', async () => {
      const silent = start(settles)
      await settle()
      const { timeoutAt } = await question()
      await clock.advance(10 * minute)
      expect(await silent.going).to.include({ output: 'nobody' })
      expect(calls('settle')[0]?.asked?.outcome).to.deep.equal({ state: 'timed_out', at: timeoutAt })

      run = await bench.startRun()
      const cancelled = start(settles)
      await settle()
      cancelled.cancel.abort()
      expect(await cancelled.going).to.include({ status: 'cancelled' })
      expect(calls('settle')[1]?.asked?.outcome).to.deep.equal({ state: 'withdrawn' })
    })

    it('is not settled if its notification failed', async () => {
      const failing = () => {
        throw new SkillError('user_not_found', 'nobody of this name')
      }
      expect(await start({ run: failing, ...settles }).going).to.include({ status: 'failed' })
      expect(calls('settle')).to.deep.equal([])
    })

    it('blocks no step: the run continues while it is being settled, and ends afterwards', async () => {
      let release: (() => void) | undefined
      const slow = { settle: () => new Promise<void>((resolve) => (release = resolve)) }
      const { going, wakeUps } = start(slow, {}, [{ id: 'after', uses: 'x.after' }])
      let ended = false
      void going.then(() => (ended = true))
      await settle()
      await answer()
      wakeUps.wake()
      await settle()
      expect((await entry('after'))?.state).to.equal('completed')
      expect((await entry('confirm/@settle'))?.state).to.equal('started')
      expect(ended).to.equal(false)
      release?.()
      expect(await going).to.include({ status: 'completed' })
    })

    it('that cannot be settled changes nothing, and settling is retried, recorded and logged', async () => {
      const busy = {
        settle: () => {
          throw new RetryableError('http_500', 'out of order')
        },
      }
      const { going, wakeUps } = start(busy)
      await settle()
      await answer()
      wakeUps.wake()
      await clock.advance(minute)
      expect(await going).to.include({ status: 'completed', output: 'mine' })
      expect(calls('settle').map(({ attempt }) => attempt)).to.deep.equal([1, 2, 3])
      expect(await entry('confirm/@settle')).to.nested.include({ state: 'failed', 'error.code': 'http_500' })
      expect(bench.logged.at(-1)).to.deep.include({
        run: run.uuid,
        path: 'confirm/@settle',
        code: 'http_500',
      })
    })

    it('with a hanging settlement delays the end of its run by at most half a minute', async () => {
      const { going, wakeUps } = start({ settle: () => new Promise(() => {}) })
      await settle()
      await answer()
      wakeUps.wake()
      await clock.advance(minute)
      expect(await going).to.include({ status: 'completed' })
      expect(await entry('confirm/@settle')).to.nested.include({ 'error.code': 'step_timeout' })
    })

    it('is settled by the next process after a stop, and only once', async () => {
      const first = start({ settle: () => new Promise(() => {}) })
      await settle()
      await answer()
      first.wakeUps.wake()
      await settle()
      expect((await entry('confirm'))?.state, 'the answer is on record').to.equal('completed')
      await first.halt()
      expect(await start(settles).going).to.include({ output: 'mine' })
      expect(calls('settle')).to.have.length(2)
      expect(await entry('confirm/@settle')).to.include({ state: 'completed', attempt: 2 })
      expect(await start(settles).going).to.include({ output: 'mine' })
      expect(calls('settle')).to.have.length(2)
    })

    it('that was answered while no process ran is settled by the next one', async () => {
      const first = start(settles)
      await settle()
      await first.halt()
      await answer()
      expect(await start(settles).going).to.include({ output: 'mine' })
      expect(calls('settle')).to.have.length(1)
    })
  })

  describe('that waits', () => {
    const reminds = { remind: () => {} }
    const after = { remind_after: '4m' }

    it('gets one reminder when it is due', async () => {
      const { going } = start(reminds, after)
      await clock.advance(4 * minute - 1)
      expect(calls('remind')).to.deep.equal([])
      await clock.advance(1)
      expect(calls('remind').map(({ asked, key }) => ({ asked, key }))).to.deep.equal([
        {
          asked: { output: { asked: 'U1', ts: '17.5' }, outcome: undefined },
          key: `${run.uuid}/confirm/@remind`,
        },
      ])
      await clock.advance(6 * minute)
      expect(await going).to.include({ output: 'nobody' })
      expect(calls('remind')).to.have.length(1)
    })

    it('gets no reminder after an answer, without a time, or if the skill sends none', async () => {
      const answered = start(reminds, after)
      await settle()
      await answer()
      answered.wakeUps.wake()
      await answered.going
      for (const [skill, given] of [
        [reminds, {}],
        [reminds, { remind_after: '10m' }],
        [{}, after],
      ] as const) {
        run = await bench.startRun()
        const { going } = start(skill, given)
        await clock.advance(10 * minute)
        await going
      }
      expect(calls('remind')).to.deep.equal([])
    })

    it('keeps nothing in memory until then, and gets its reminder from a later process', async () => {
      const idle: number[] = []
      const first = start(reminds, after)
      await settle()
      const { createdAt } = await question()
      await first.halt()
      const playbook = makePlaybook({
        steps: [
          {
            id: 'confirm',
            checkpoint: { via: 'chat.ask', with: after, answers: ['mine'], withinMs: 10 * minute },
          },
        ],
      })
      const stop = new AbortController()
      const skills = { 'chat.ask': { run: () => ({}), ...reminds } }
      const second = bench.go(playbook, skills, {
        run,
        stop: stop.signal,
        onIdle: (at) => void idle.push(at),
      })
      second.catch(() => {})
      await settle()
      expect(idle.at(-1)).to.equal(createdAt + 4 * minute)
      stop.abort()
      await second.catch(() => {})
      clock.jump(5 * minute)
      const third = start(reminds, after)
      await settle()
      expect(calls('remind')).to.have.length(1)
      await third.halt()
      const fourth = start(reminds, after)
      await settle()
      expect(calls('remind'), 'once').to.have.length(1)
      await fourth.halt()
    })

    it('gets no reminder after its timeout', async () => {
      const first = start(reminds, after)
      await settle()
      await first.halt()
      clock.jump(11 * minute)
      expect(await start(reminds, after).going).to.include({ output: 'nobody' })
      expect(calls('remind')).to.deep.equal([])
      expect(await entry('confirm/@remind')).to.equal(undefined)
    })

    it('accepts an answer while the reminder is sent', async () => {
      const { going, wakeUps } = start({ remind: () => new Promise(() => {}) }, after)
      await clock.advance(4 * minute)
      await answer()
      wakeUps.wake()
      await settle()
      expect((await entry('confirm'))?.state).to.equal('completed')
      await clock.advance(minute)
      expect(await going).to.include({ output: 'mine' })
    })

    it('gets no second reminder if the process died during the first', async () => {
      const first = start({ remind: () => new Promise(() => {}) }, after)
      await clock.advance(4 * minute)
      await first.halt()
      const second = start(reminds, after)
      await settle()
      expect(calls('remind')).to.have.length(1)
      expect(await entry('confirm/@remind')).to.include({ state: 'skipped' })
      await second.halt()
    })

    it('is not asked if the time of its reminder is invalid', async () => {
      expect(await start(reminds, { remind_after: 'soon' }).going).to.nested.include({
        'error.code': 'wait_invalid',
      })
      expect(bench.calls).to.deep.equal([])
    })
  })

  it('records its connection before it is asked', async () => {
    let known: unknown
    const { halt } = start({
      run: async () => {
        known = (await question()).connection
        return { asked: 'U1' }
      },
    })
    await settle()
    expect(known).to.equal('chat')
    await halt()
  })
})
