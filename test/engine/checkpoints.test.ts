import { expect } from 'chai'
import type { Run } from '../../core/domain/run.ts'
import { RunSuspended } from '../../core/engine/journal/durable-context.ts'
import { createWakeUps } from '../../core/engine/journal/wake-ups.ts'
import { SkillError } from '../../core/plugin/index.ts'
import { openBench, type Bench, type TestSkills } from './support/bench.ts'
import { makePlaybook, type StepSource } from './support/make-playbook.ts'
import { ManualClock, settle } from './support/manual-clock.ts'
import { somebody } from '../support/somebody.ts'

const confirm = { answers: ['mine', 'not_mine'], withinMs: 60_000 }
const output = '${{ steps.confirm.output }}'

describe('a checkpoint', () => {
  let bench: Bench
  let clock: ManualClock
  let run: Run
  beforeEach(async () => {
    clock = new ManualClock()
    bench = await openBench(clock)
    run = await bench.startRun()
  })
  afterEach(() => bench.close())

  const playbookOf = (step: Partial<StepSource> = {}) =>
    makePlaybook({
      steps: [{ id: 'confirm', checkpoint: confirm, ...step }],
      outputs: { confirm: output },
    })
  const start = (step: Partial<StepSource> = {}, skills: TestSkills = {}) => {
    const wakeUps = createWakeUps()
    const stop = new AbortController()
    const cancel = new AbortController()
    const going = bench.go(playbookOf(step), skills, {
      run,
      wakeUps,
      stop: stop.signal,
      cancel: cancel.signal,
    })
    going.catch(() => {})
    return { going, wakeUps, stop, cancel }
  }
  const waiting = async () =>
    (await bench.stores.checkpoints.list('all', { limit: 10 }, { state: 'waiting' })).data
  const answer = async (value: string, text: string | null = null) => {
    const [checkpoint] = await waiting()
    return await bench.stores.checkpoints.answer(checkpoint!.id, { value, text }, somebody('eve'))
  }
  const statusOf = async () => (await bench.stores.runs.find('all', run.uuid))?.status

  it('waits, then resumes with the answer, its responder, time and text', async () => {
    const { going, wakeUps } = start()
    await settle()
    expect(await statusOf()).to.equal('waiting')
    await clock.advance(5_000)
    await answer('not_mine', 'help')
    wakeUps.wake()
    const at = new Date(clock.now()).toISOString()
    expect((await going).output).to.deep.equal({
      confirm: { answer: 'not_mine', by: 'eve', by_kind: 'api_key', at, text: 'help' },
    })
    expect(await statusOf()).to.equal('running')
  })

  it('can be answered while no process runs', async () => {
    const first = start()
    await settle()
    first.stop.abort()
    expect(await first.going.catch((error: unknown) => error)).to.be.instanceOf(RunSuspended)
    await answer('mine')
    const second = await start().going
    expect(second.output).to.have.nested.property('confirm.answer', 'mine')
    expect((await start().going).output, 'on replay').to.deep.equal(second.output)
  })

  it('fails after the timeout, unless a default answer is set', async () => {
    const { going } = start()
    await clock.advance(60_000)
    expect(await going).to.nested.include({ status: 'failed', 'error.code': 'checkpoint_timeout' })
    run = await bench.startRun()
    const silent = start({ checkpoint: { ...confirm, onTimeout: 'no_reply' } })
    await clock.advance(60_000)
    const at = new Date(clock.now()).toISOString()
    expect((await silent.going).output).to.deep.equal({
      confirm: { answer: 'no_reply', by: null, at, text: null },
    })
  })

  it('times out once, even if the time passed while no process ran; a later answer has no effect', async () => {
    const first = start()
    await settle()
    const [checkpoint] = await waiting()
    first.stop.abort()
    await settle()
    clock.jump(120_000)
    const late = await bench.stores.checkpoints.answer(
      checkpoint!.id,
      {
        value: 'mine',
        text: null,
      },
      somebody('eve'),
    )
    expect(late.outcome).to.equal('late')
    expect(await start().going).to.nested.include({ 'error.code': 'checkpoint_timeout' })
    expect((await bench.stores.checkpoints.find('all', checkpoint!.id))?.state).to.equal('timed_out')
  })

  it('has no work until its timeout', async () => {
    const idle: number[] = []
    const going = bench.go(playbookOf(), {}, { run, onIdle: (atMs) => void idle.push(atMs) })
    going.catch(() => {})
    await settle()
    expect(idle).to.include(clock.now() + 60_000)
    await clock.advance(60_000)
    await going
  })

  it('is withdrawn if the run is cancelled or an enclosing timeout passes', async () => {
    const { going, cancel } = start()
    await settle()
    const [checkpoint] = await waiting()
    cancel.abort()
    expect(await going).to.include({ status: 'cancelled' })
    expect((await bench.stores.checkpoints.find('all', checkpoint!.id))?.state).to.equal('withdrawn')

    run = await bench.startRun()
    const grouped = makePlaybook({
      steps: [{ id: 'g', timeoutMs: 10_000, steps: [{ id: 'confirm', checkpoint: confirm }] }],
    })
    const late = bench.go(grouped, {}, { run })
    await clock.advance(10_000)
    expect(await late).to.nested.include({ status: 'failed', 'error.code': 'step_timeout' })
    expect(await waiting()).to.deep.equal([])
  })

  it('stays withdrawn rather than unanswered if the process stopped before the end of the step', async () => {
    const step = { id: 'confirm', checkpoint: { ...confirm, onTimeout: 'no_reply' } }
    const grouped = makePlaybook({ steps: [{ id: 'g', timeoutMs: 10_000, steps: [step] }] })
    for (const expected of [{ status: 'cancelled' }, { status: 'failed', 'error.code': 'step_timeout' }]) {
      run = await bench.startRun()
      const stop = new AbortController()
      const going = bench.go(grouped, {}, { run, stop: stop.signal }).catch((error: unknown) => error)
      await settle()
      stop.abort()
      expect(await going).to.be.instanceOf(RunSuspended)
      const [asked] = await waiting()
      await bench.stores.checkpoints.close(run.uuid, asked!.path, 'withdrawn')
      const cancel = new AbortController()
      if (expected.status === 'cancelled') cancel.abort()
      else await clock.advance(10_000)
      const again = await bench.go(grouped, {}, { run, cancel: cancel.signal })
      expect(again).to.nested.include(expected)
    }
  })

  describe('from a skill', () => {
    const asked = { via: 'chat.ask', with: { message: 'You?' }, ...confirm }

    it('gives the skill the id and the answers, and keeps its output', async () => {
      const { going, wakeUps } = start({ checkpoint: asked }, { 'chat.ask': () => ({ message: '17.5' }) })
      await settle()
      const [checkpoint] = await waiting()
      expect(checkpoint?.reference).to.deep.equal({ message: '17.5' })
      expect(bench.calls).to.have.length(1)
      expect(bench.calls[0]?.input).to.deep.equal({
        message: 'You?',
        checkpoint_id: checkpoint?.id,
        answers: ['mine', 'not_mine'],
      })
      await answer('mine')
      wakeUps.wake()
      expect(await going).to.include({ status: 'completed' })
    })

    it('fails without waiting if it cannot ask', async () => {
      const failing: TestSkills = {
        'chat.ask': () => {
          throw new SkillError('user_not_found', 'nobody of this name')
        },
      }
      expect(await start({ checkpoint: asked }, failing).going).to.nested.include({
        'error.code': 'user_not_found',
      })
      expect(await waiting()).to.deep.equal([])
    })

    it('asks again after a crash with the same id, because one answer counts', async () => {
      const hanging = start({ checkpoint: asked }, { 'chat.ask': () => new Promise(() => {}) })
      await settle()
      hanging.stop.abort()
      await hanging.going.catch(() => {})
      const { going, wakeUps } = start(
        { checkpoint: asked },
        { 'chat.ask': { interrupted: 'ask', run: () => 1 } },
      )
      await settle()
      const ids = bench.calls.map(({ input }) => (input as { checkpoint_id: string }).checkpoint_id)
      expect(ids).to.have.length(2)
      expect(new Set(ids).size).to.equal(1)
      await answer('mine')
      wakeUps.wake()
      expect(await going).to.include({ status: 'completed' })
    })
  })
})
