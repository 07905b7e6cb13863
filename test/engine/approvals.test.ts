import { expect } from 'chai'
import type { Run } from '../../core/domain/run.ts'
import { serverLimits } from '../../core/destructive/policy.ts'
import { RunSuspended } from '../../core/engine/journal/durable-context.ts'
import { createWakeUps } from '../../core/engine/journal/wake-ups.ts'
import { RetryableError } from '../../core/plugin/index.ts'
import { somebody } from '../support/somebody.ts'
import { openBench, type Bench, type TestSkills } from './support/bench.ts'
import { Crash, crashingStores } from './support/crashing-journal.ts'
import { makePlaybook } from './support/make-playbook.ts'
import { ManualClock, settle } from './support/manual-clock.ts'

const hour = 3_600_000
const isolate = makePlaybook({
  steps: [{ id: 'isolate', uses: 'edr.isolate', with: { machine: 'WS-7' } }],
  outputs: '${{ steps.isolate.output }}',
})
const destructive = {
  'edr.isolate': { class: 'containment', changedNothing: (output: unknown) => output === 'isolated already' },
  'edr.release': { class: 'containment' },
  'edr.scan': { class: 'execution' },
} as const
const limitsOf = (limit: number) => serverLimits({ containment: limit, execution: limit })

describe('a destructive skill over its limit', () => {
  let bench: Bench
  let clock: ManualClock

  beforeEach(async () => {
    clock = new ManualClock()
    bench = await openBench(clock)
  })
  afterEach(() => bench.close())

  interface More {
    readonly run?: Run
    readonly playbook?: ReturnType<typeof makePlaybook>
    readonly skills?: TestSkills
    readonly limit?: number
    readonly names?: Readonly<Record<string, unknown>>
  }

  async function begin({ run, playbook = isolate, skills = {}, limit = 2, names }: More = {}) {
    const wakeUps = createWakeUps()
    const [stop, cancel] = [new AbortController(), new AbortController()]
    const own = run ?? (await bench.startRun())
    const going = bench.go(
      playbook,
      { 'edr.isolate': () => 'isolated', 'edr.scan': () => 'scanned', ...skills },
      {
        run: own,
        wakeUps,
        stop: stop.signal,
        cancel: cancel.signal,
        destructive,
        destructiveLimits: limitsOf(limit),
        ...(names && { names }),
      },
    )
    going.catch(() => {})
    await settle()
    const halt = async () => {
      stop.abort()
      expect(await going.catch((error: unknown) => error)).to.be.instanceOf(RunSuspended)
    }
    return { run: own, going, wakeUps, cancel, halt }
  }
  /** Uses that need no approval. */
  async function use(count: number, more: More = {}): Promise<void> {
    for (let n = 0; n < count; n++) expect((await (await begin(more)).going).status).to.equal('completed')
  }
  const called = () => bench.calls.length
  const waiting = async () =>
    (await bench.stores.checkpoints.list('all', { limit: 50 }, { state: 'waiting' })).data
  const answer = async (value: string) => {
    const [question] = await waiting()
    const given = { value, text: null }
    return await bench.stores.checkpoints.answer(question!.id, given, somebody('kim'))
  }
  const counted = async () =>
    (await bench.stores.destructiveUses.list('all')).map(({ class: kind, uses, held }) => [kind, uses, held])
  const audited = async () =>
    (await bench.stores.audit.list('all', {}, { limit: 50 })).data
      .map(({ action }) => action)
      .filter((action) => /^(skill|checkpoint)/.test(action))
      .toReversed()

  it('waits for approval and is not called before', async () => {
    await use(2)
    const { run, halt } = await begin()
    expect(called()).to.equal(2)
    expect((await bench.stores.runs.find('all', run.uuid))?.status).to.equal('waiting')
    const [question] = await waiting()
    expect(question).to.deep.include({ path: 'isolate/@approval', runUuid: run.uuid, stepId: 'isolate' })
    expect(question?.question).to.deep.include({ via: 'operator', answers: ['approve', 'refuse'] })
    expect(question?.question.input).to.deep.equal({
      message:
        '2 containment actions within the last hour in this organization; the limit without approval is 2 per hour. ' +
        'Approve this use of edr.isolate, with the input below?',
      skill: 'edr.isolate',
      class: 'containment',
      count: 1,
      input: { machine: 'WS-7' },
      labels: { approve: 'Approve this use', refuse: 'Refuse it' },
      styles: { approve: 'danger' },
    })
    expect(await counted()).to.deep.equal([['containment', 2, 1]])
    await halt()
  })

  it('runs once when approved, and the use is counted and recorded', async () => {
    await use(2)
    const { going, wakeUps } = await begin()
    await answer('approve')
    wakeUps.wake()
    expect(await going).to.include({ status: 'completed', output: 'isolated' })
    expect(called()).to.equal(3)
    expect(await counted()).to.deep.equal([['containment', 3, 0]])
    expect((await audited()).slice(-4)).to.deep.equal([
      'skill.held',
      'checkpoint.answered',
      'skill.called',
      'skill.ended',
    ])
    const { halt } = await begin()
    expect(called(), 'the next one waits as well').to.equal(3)
    await halt()
  })

  it('fails when refused, which the playbook can handle', async () => {
    await use(2)
    const { going, wakeUps, run } = await begin()
    await answer('refuse')
    wakeUps.wake()
    const outcome = await going
    expect(outcome).to.include({ status: 'failed' })
    expect(outcome.error).to.include({ code: 'use_refused', message: 'kim refused this use of edr.isolate' })
    expect(await bench.stores.journal.entry(run.uuid, 'isolate')).to.include({
      state: 'failed',
      kind: 'edr.isolate',
    })
    const [step] = isolate.steps
    const handled = await begin({
      playbook: { ...isolate, outputs: undefined, steps: [{ ...step!, onError: 'continue' }] },
    })
    await answer('refuse')
    handled.wakeUps.wake()
    expect(await handled.going).to.include({ status: 'completed' })
    expect(called()).to.equal(2)
  })

  it('keeps its question across a restart, and resumes with an answer given meanwhile', async () => {
    await use(2)
    const first = await begin()
    const [asked] = await waiting()
    await first.halt()
    const second = await begin({ run: first.run })
    expect((await waiting()).map(({ id }) => id)).to.deep.equal([asked?.id])
    await second.halt()
    await answer('approve')
    const third = await begin({ run: first.run })
    expect(await third.going).to.include({ status: 'completed' })
    expect(called()).to.equal(3)
    expect((await audited()).filter((action) => action === 'skill.held')).to.have.length(1)
  })

  it('keeps waiting even if the limit allows it again', async () => {
    await use(2)
    const { run, halt } = await begin()
    await halt()
    await clock.advance(hour)
    const later = await begin({ run })
    expect(called()).to.equal(2)
    await later.halt()
  })

  it('counts once, wherever the process crashes', async () => {
    for (let at = 1; ; at++) {
      const before = (await counted())[0]?.[1] ?? 0
      const run = await bench.startRun()
      const { stores, writes } = crashingStores(bench.stores, at, 'after')
      const options = { run, ...stores, destructive, destructiveLimits: limitsOf(1_000) }
      await bench.go(isolate, { 'edr.isolate': () => 'isolated' }, options).catch((error: unknown) => {
        if (!(error instanceof Crash)) throw error
      })
      await use(1, { run, limit: 1_000 })
      expect((await counted())[0]?.[1], `after write ${at}`).to.equal(Number(before) + 1)
      if (writes() < at) return
    }
  })

  it('asks once and runs once if approved, wherever the process crashes', async () => {
    await use(2)
    for (const when of ['before', 'after'] as const) {
      for (let at = 1; at <= 3; at++) {
        const calls = called()
        const run = await bench.startRun()
        const { stores } = crashingStores(bench.stores, at, when)
        const options = { run, ...stores, destructive, destructiveLimits: limitsOf(2) }
        await bench.go(isolate, { 'edr.isolate': () => 'isolated' }, options).catch((error: unknown) => {
          if (!(error instanceof Crash)) throw error
        })
        const { going, wakeUps } = await begin({ run })
        expect(called(), `${when} write ${at}`).to.equal(calls)
        expect(await waiting()).to.have.length(1)
        await answer('approve')
        wakeUps.wake()
        expect(await going).to.include({ status: 'completed' })
        expect(called()).to.equal(calls + 1)
      }
    }
  })

  it('counts a step once, regardless of its attempts', async () => {
    const [step] = isolate.steps
    const retry = { max: 2, backoffMs: 1, factor: 1, maxBackoffMs: 1, jitter: 0, on: undefined }
    const skills: TestSkills = {
      'edr.isolate': (_input, _attempt, call) => {
        if (call < 3) throw new RetryableError('http_429', 'busy')
        return 'isolated'
      },
    }
    const { going } = await begin({
      playbook: { ...isolate, steps: [{ ...step!, retry } as typeof step & object] },
      skills,
      limit: 1,
    })
    await clock.advance(100)
    expect(await going).to.include({ status: 'completed' })
    expect(await counted()).to.deep.equal([['containment', 1, 0]])
  })

  it('is counted per class and organization', async () => {
    await use(2)
    const scan = makePlaybook({ steps: [{ id: 'scan', uses: 'edr.scan', with: { machine: 'WS-7' } }] })
    await use(2, { playbook: scan })
    const { uuid } = await bench.stores.organizations.create({ code: 'other', name: 'Other' }, somebody())
    await use(1, { run: await bench.startRun(uuid) })
    expect(called()).to.equal(5)
    const release = makePlaybook({
      steps: [{ id: 'release', uses: 'edr.release', with: { machine: 'WS-7' } }],
    })
    const other = await begin({ playbook: release, skills: { 'edr.release': () => 'released' } })
    expect(called(), 'another skill of the same class').to.equal(5)
    await other.halt()
  })

  it('is below the limit again one hour after the first use', async () => {
    await use(1)
    await clock.advance(hour / 2)
    await use(1)
    await clock.advance(hour / 2 - 1)
    const early = await begin()
    expect(called()).to.equal(2)
    await early.halt()
    await clock.advance(1)
    await use(1)
    const late = await begin()
    expect(called()).to.equal(3)
    await late.halt()
  })

  it('keeps the hour when the clock is set forward or back', async () => {
    await use(2)
    clock.jump(5 * hour)
    const early = await begin()
    expect(called(), 'set forward').to.equal(2)
    await early.halt()
    clock.jump(-50 * hour)
    await clock.advance(hour)
    await use(2)
    expect(called(), 'set back').to.equal(4)
  })

  it('starts only as many concurrent uses as the limit allows', async () => {
    const many = makePlaybook({
      steps: [
        {
          id: 'each',
          foreach: ['a', 'b', 'c', 'd', 'e'],
          as: 'machine',
          concurrency: 5,
          steps: [{ id: 'isolate', uses: 'edr.isolate', with: { machine: '${{ machine }}' } }],
        },
      ],
    })
    const { halt } = await begin({ playbook: many })
    expect(called()).to.equal(2)
    expect(await waiting()).to.have.length(3)
    await halt()
  })

  it('always waits if the limit is zero', async () => {
    const { halt } = await begin({ limit: 0 })
    expect(called()).to.equal(0)
    expect(await waiting()).to.have.length(1)
    await halt()
  })

  it('stops waiting when the run is cancelled or times out', async () => {
    await use(2)
    const cancelled = await begin()
    cancelled.cancel.abort()
    expect(await cancelled.going).to.include({ status: 'cancelled' })
    expect(await waiting()).to.deep.equal([])
    const short = await begin({ playbook: { ...isolate, timeoutMs: 60_000 } })
    await clock.advance(60_000)
    const outcome = await short.going
    expect(outcome.error).to.include({ code: 'run_timeout' })
    expect(await waiting()).to.deep.equal([])
    expect(called()).to.equal(2)
  })

  it('shows no sensitive values', async () => {
    const secretive = makePlaybook({
      steps: [
        {
          id: 'isolate',
          uses: 'edr.isolate',
          with: { machine: '${{ inputs.pin }}' },
          sensitive: { input: { fields: { machine: true } } },
        },
      ],
    })
    const { halt } = await begin({
      playbook: secretive,
      limit: 0,
      names: { inputs: { pin: 'sesame-street' } },
    })
    const [question] = await waiting()
    expect(question?.question.input).to.have.property('skill')
    expect(JSON.stringify(question)).to.not.include('sesame-street')
    await halt()
  })
})
