import { expect } from 'chai'
import type { RunRate } from '../../core/common/rates.ts'
import type { Run } from '../../core/domain/run.ts'
import type { Runner } from '../../core/engine/turns/runner-types.ts'
import { createRunner } from '../../core/engine/turns/runner.ts'
import { somebody } from '../support/somebody.ts'
import { openBench, testSkills, type Bench } from './support/bench.ts'
import { makePlaybook } from './support/make-playbook.ts'
import { ManualClock, settle } from './support/manual-clock.ts'

const minute = 60_000

describe('the rate limit of a playbook', () => {
  let bench: Bench
  let clock: ManualClock
  let ended: Run[]
  let runners: Runner[]
  beforeEach(async () => {
    clock = new ManualClock()
    bench = await openBench(clock)
    ended = []
    runners = []
  })
  afterEach(async () => {
    await Promise.all(runners.map((runner) => runner.drain(0)))
    await bench.close()
  })

  function start(): Runner {
    const { call, interrupted } = testSkills({}, bench.calls)
    const runner = createRunner({
      stores: bench.stores,
      clock,
      log: bench.log,
      loadPlaybook: async () => makePlaybook({ steps: [{ set: 1 }] }),
      skills: { call, interrupted },
      onRunEnded: (run) => ended.push(run),
    })
    runners.push(runner)
    return runner
  }
  const queue = (given: Partial<RunRate> = {}, organizationUuid = bench.organizationUuid) =>
    bench.stores.runs.queue({
      organizationUuid,
      playbookName: 'tested',
      playbookHash: 'a'.repeat(64),
      alertUuid: null,
      rate: { limit: { requests: 1, perMs: minute }, key: null, policy: 'queue', ...given },
    })
  const find = async ({ uuid }: Run) => (await bench.stores.runs.find('all', uuid))!
  const startsOf = async (runs: readonly Run[], began: number) =>
    (await Promise.all(runs.map(find))).map(({ startedAt }) => startedAt && (startedAt - began) / minute)

  it('starts runs in the order in which they were queued, and says when', async () => {
    const began = clock.now()
    const runner = start()
    const runs = [await queue(), await queue(), await queue()]
    for (const run of runs) runner.enqueue(run)
    await settle()
    expect((await find(runs[2]!)).heldUntil).to.equal(began + 2 * minute)
    expect((await find(runs[0]!)).heldUntil).to.equal(undefined)
    expect((await bench.stores.runs.unfinishedWork()).rateLimited).to.deep.equal({ runs: 2, steps: 0 })
    expect(runner.queuedOf(bench.organizationUuid)).to.equal(2)
    await clock.advance(3 * minute)
    expect(await startsOf(runs, began)).to.deep.equal([0, 1, 2])
    expect((await bench.stores.runs.unfinishedWork()).rateLimited).to.deep.equal({ runs: 0, steps: 0 })
    expect(
      bench.logged.find(({ message }) => message === 'run waits for the rate limit of its playbook'),
    ).to.include({
      run: runs[1]!.uuid,
      playbook: 'tested',
      delay_ms: minute,
    })
  })

  it('counts each key and organization separately', async () => {
    const began = clock.now()
    const runner = start()
    const globex = await bench.stores.organizations.create({ code: 'GLOBEX', name: 'Globex' }, somebody())
    const runs = [
      await queue({ key: 'a' }),
      await queue({ key: 'b' }),
      await queue({}, globex.uuid),
      await queue({ key: 'a' }),
    ]
    for (const run of runs) runner.enqueue(run)
    await clock.advance(2 * minute)
    expect(await startsOf(runs, began)).to.deep.equal([0, 0, 0, 1])
  })

  it('cancels runs beyond it with `policy: drop`', async () => {
    const runner = start()
    const runs = [await queue({ policy: 'drop' }), await queue({ policy: 'drop' })]
    for (const run of runs) runner.enqueue(run)
    await settle()
    expect((await find(runs[0]!)).status).to.equal('completed')
    const dropped = await find(runs[1]!)
    expect(dropped.status).to.equal('cancelled')
    expect(dropped.error).to.include({
      code: 'run_rate_exceeded',
      message: 'more runs than 1/min, the rate limit of the playbook',
    })
    expect(ended.map(({ uuid }) => uuid)).to.have.members(runs.map(({ uuid }) => uuid))
    expect(runner.queuedOf(bench.organizationUuid)).to.equal(0)
  })

  it('gives up the place of a run that is cancelled while it waits', async () => {
    const began = clock.now()
    const runner = start()
    const runs = [await queue(), await queue()]
    for (const run of runs) runner.enqueue(run)
    await settle()
    runner.cancel(await bench.stores.runs.cancel('all', runs[1]!.uuid, somebody()))
    await clock.advance(minute)
    const next = await queue()
    runner.enqueue(next)
    await settle()
    expect(await startsOf([next], began)).to.deep.equal([1])
  })

  it('survives a restart: waiting runs start in order and not at once', async () => {
    const first = start()
    const runs = [await queue(), await queue(), await queue(), await queue()]
    for (const run of runs) first.enqueue(run)
    await settle()
    const began = clock.now()
    await first.drain(0)
    // Longer than any of them had to wait.
    await clock.advance(10 * minute)
    const second = start()
    await second.recover()
    await clock.advance(5 * minute)
    expect(await startsOf(runs, began)).to.deep.equal([0, 10, 11, 12])
  })
})
