import { expect } from 'chai'
import type { Run } from '../../core/domain/run.ts'
import { createRunner } from '../../core/engine/turns/runner.ts'
import { UnavailableError } from '../../core/errors/errors.ts'
import type { Playbook } from '../../core/playbook/language/playbook.ts'
import type { RunStore } from '../../core/ports/runs/run-store.ts'
import { openBench, testSkills, type Bench, type TestSkills } from './support/bench.ts'
import { makePlaybook } from './support/make-playbook.ts'
import { ManualClock, settle } from './support/manual-clock.ts'

describe('a turn that another process has taken over', () => {
  let bench: Bench
  let clock: ManualClock
  let ended: Run[]
  beforeEach(async () => {
    clock = new ManualClock()
    bench = await openBench(clock)
    ended = []
  })
  afterEach(() => bench.close())

  const queue = (): Promise<Run> =>
    bench.stores.runs.queue({
      organizationUuid: bench.organizationUuid,
      playbookName: 'tested',
      playbookHash: 'a'.repeat(64),
      alertUuid: null,
    })
  const start = (playbook: Playbook, skills: TestSkills, stores = bench.stores) =>
    createRunner({
      stores,
      clock,
      log: bench.log,
      loadPlaybook: async () => playbook,
      skills: testSkills(skills, bench.calls),
      onRunEnded: (run) => ended.push(run),
    })
  const takenOver = async ({ uuid }: Run): Promise<void> => {
    await bench.stores.runs.recover()
    expect(await bench.stores.runs.take(uuid)).to.have.property('turn')
  }
  const lines = () => bench.logged.filter(({ message }) => String(message).startsWith('this turn of the run'))

  for (const [what, steps] of [
    ['the next step', [{ uses: 'x.first' }, { uses: 'x.second' }]],
    ['a wait', [{ uses: 'x.first' }, { wait: 5_000 }, { uses: 'x.second' }]],
    ['a question', [{ uses: 'x.first' }, { checkpoint: { answers: ['yes'], withinMs: 1_000 } }]],
    ['the handler of the failed step', [{ uses: 'x.first', onError: [{ uses: 'x.second' }] }]],
  ] as const) {
    it(`ends before ${what}: nothing more is called, and the run is left to the other process`, async () => {
      const run = await queue()
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const runner = start(makePlaybook({ steps, finally: [{ uses: 'x.second' }] }), {
        'x.first': () => promise,
        'x.second': () => null,
      })
      runner.enqueue(run)
      await settle()
      await takenOver(run)
      if (what.startsWith('the handler')) reject(new Error('it failed'))
      else resolve()
      await settle()
      await clock.advance(60_000)
      await settle()
      expect(bench.calls.map(({ skill }) => skill)).to.deep.equal(['x.first'])
      expect(runner.load()).to.deep.equal({ queued: 0, active: 0 })
      expect(ended).to.deep.equal([])
      expect(await bench.stores.runs.find('all', run.uuid)).to.include({ status: 'running', endedAt: null })
      expect((await bench.stores.journal.entries(run.uuid)).map(({ state }) => state)).to.deep.equal([
        'started',
      ])
      expect(lines()).to.have.length(1)
    })
  }

  it('is over for all parallel branches at the first refused write', async () => {
    const run = await queue()
    const slow = Promise.withResolvers<void>()
    const aborted: unknown[] = []
    const branches = [
      { id: 'fast', uses: 'x.fast' },
      { id: 'slow', uses: 'x.slow' },
    ]
    const runner = start(makePlaybook({ steps: [{ parallel: branches }, { uses: 'x.never' }] }), {
      'x.never': () => null,
      'x.fast': () => slow.promise,
      'x.slow': (_input, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            aborted.push(signal.reason)
            reject(new Error('aborted'))
          })
        }),
    })
    runner.enqueue(run)
    await settle()
    await takenOver(run)
    slow.resolve()
    await settle()
    expect(aborted).to.have.length(1)
    expect(runner.load().active).to.equal(0)
  })

  it('is taken again after the store refused to give it', async () => {
    const run = await queue()
    const { runs } = bench.stores
    let refusals = 2
    const take: RunStore['take'] = async (uuid) => {
      if (refusals-- > 0) throw new UnavailableError('store_unavailable', 'full', { retryAfterMs: 1 })
      return await runs.take(uuid)
    }
    const get = (target: RunStore, name: keyof RunStore): unknown =>
      name === 'take' ? take : (target[name] as (...given: unknown[]) => unknown).bind(target)
    const stores = { ...bench.stores, runs: new Proxy(runs, { get: get as never }) }
    const runner = start(makePlaybook({ steps: [{ uses: 'x.first' }] }), { 'x.first': () => 1 }, stores)
    runner.wake(run)
    await settle()
    await clock.advance(10_000)
    await settle()
    expect(ended.map(({ status }) => status)).to.deep.equal(['completed'])
  })
})
