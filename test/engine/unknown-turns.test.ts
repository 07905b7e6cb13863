import { expect } from 'chai'
import type { Run } from '../../core/domain/run.ts'
import { createRunner } from '../../core/engine/turns/runner.ts'
import { parsed } from '../playbook/support.ts'
import { openBench, testSkills, type Bench } from './support/bench.ts'
import { ManualClock, settle } from './support/manual-clock.ts'

const minute = 60_000

describe('a turn that a node has without knowing', () => {
  let bench: Bench
  let clock: ManualClock
  beforeEach(async () => {
    clock = new ManualClock()
    bench = await openBench(clock)
  })
  afterEach(() => bench.close())

  it('is given up, and other turns are not', async () => {
    const playbook = parsed(
      'apiVersion: tocsin/v1\nname: tested\non: { manual: true }\nsteps: [{ uses: case.update }]',
    )
    const hanging = Promise.withResolvers<number>()
    const { call, interrupted } = testSkills({ 'case.update': () => hanging.promise }, bench.calls)
    const ended: Run[] = []
    const runner = createRunner({
      stores: bench.stores,
      clock,
      log: bench.log,
      loadPlaybook: async () => playbook,
      skills: { call, interrupted },
      onRunEnded: (run) => ended.push(run),
      exclusive: { isShared: true, isMine: async () => true },
    })
    await runner.recover()
    await settle()
    const { runs } = bench.stores
    const queue = () =>
      runs.queue({
        organizationUuid: bench.organizationUuid,
        playbookName: 'tested',
        playbookHash: 'a'.repeat(64),
        alertUuid: null,
      })
    const [known, taken, begun] = [await queue(), await queue(), await queue()]
    // As by writes whose answers were lost.
    for (const { uuid } of [taken, begun]) await runs.take(uuid)
    await runs.start(begun.uuid, { title: 'x' })
    runner.enqueue(known)
    await clock.advance(1_000)
    const called = () => new Set(bench.calls.map(({ key }) => key)).size
    expect(called()).to.equal(1)
    await clock.advance(3 * minute)
    expect(called()).to.equal(3)
    expect(bench.logged.filter(({ message }) => String(message).includes('without knowing'))).to.deep.equal([
      { count: 2, message: 'runs that this node has taken without knowing are due again' },
    ])
    hanging.resolve(1)
    await clock.advance(10 * minute)
    expect(ended.map(({ uuid, status }) => [uuid, status])).to.have.deep.members(
      [known, taken, begun].map(({ uuid }) => [uuid, 'completed']),
    )
    await runner.drain(0)
  })
})
