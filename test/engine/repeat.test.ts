import { expect } from 'chai'
import { SkillError } from '../../core/plugin/index.ts'
import { journalOf, openBench, type Bench } from './support/bench.ts'
import { makePlaybook } from './support/make-playbook.ts'
import { ManualClock } from './support/manual-clock.ts'

describe('repeat', () => {
  let bench: Bench
  let clock: ManualClock
  beforeEach(async () => {
    clock = new ManualClock()
    bench = await openBench(clock)
  })
  afterEach(() => bench.close())

  const repeat = { until: 'output.status == "done"', everyMs: 30_000, max: 4 }
  const polling = makePlaybook({
    steps: [{ id: 'poll', uses: 'scan', repeat }],
    outputs: '${{ steps.poll.output }}',
  })

  it('runs again until the condition holds, with waits, and returns the last output', async () => {
    const run = await bench.startRun()
    const began = clock.now()
    const going = bench.go(
      polling,
      { scan: (_i, _a, call) => ({ status: call < 3 ? 'busy' : 'done', call }) },
      { run },
    )
    await clock.advance(60_000)
    expect(await going).to.deep.include({ status: 'completed', output: { status: 'done', call: 3 } })
    expect(clock.now() - began).to.equal(60_000)
    expect((await journalOf(bench.stores, run.uuid)).map(({ path }) => path)).to.deep.equal([
      'poll',
      'poll#1',
      'poll#1/@wait',
      'poll#2',
      'poll#2/@wait',
      'poll#3',
    ])
    expect(new Set(bench.calls.map(({ key }) => key)).size, 'each time is a call of its own').to.equal(3)
  })

  it('gives up after the last repetition', async () => {
    const going = bench.go(polling, { scan: () => ({ status: 'busy' }) })
    await clock.advance(90_000)
    expect(await going).to.nested.include({ status: 'failed', 'error.code': 'repeat_exhausted' })
    expect(bench.calls).to.have.length(4)
  })

  it('ends if a round fails', async () => {
    const failing = () => {
      throw new SkillError('gone', 'the scan is gone')
    }
    expect(await bench.go(polling, { scan: failing })).to.nested.include({ 'error.code': 'gone' })
  })

  it('repeats groups and validates the steps inside', async () => {
    const groups = makePlaybook({
      steps: [
        {
          id: 'g',
          repeat: { until: 'steps.look.output.n >= 2', everyMs: 1_000, max: 5 },
          steps: [{ id: 'look', uses: 'count' }],
        },
      ],
      outputs: '${{ steps.look.output.n }}',
    })
    const going = bench.go(groups, { count: (_i, _a, n) => ({ n }) })
    await clock.advance(1_000)
    expect(await going).to.include({ status: 'completed', output: 2 })
  })

  it('shows only the reached steps of a round', async () => {
    const playbook = makePlaybook({
      steps: [
        { id: 'start', set: '${{ now }}' },
        {
          id: 'g',
          repeat: { until: 'steps.time.output == 3', everyMs: 1_000, max: 5 },
          steps: [
            { id: 'time', uses: 'count' },
            { id: 'first', if: 'steps.time.output == 1', steps: [{ id: 'inner', set: 'of the first time' }] },
            {
              id: 'seen',
              set: [
                '${{ steps.first.status }}',
                '${{ steps.inner.status }}',
                '${{ has(steps.inner.output) }}',
              ],
            },
          ],
        },
      ],
      outputs: ['${{ steps.seen.output }}', '${{ has(steps.inner.output) }}'],
    })
    const going = bench.go(playbook, { count: (_i, _a, n) => n })
    await clock.advance(2_000)
    expect((await going).output).to.deep.equal([['skipped', 'skipped', false], false])
  })

  it('works inside a foreach', async () => {
    const each = makePlaybook({
      steps: [
        {
          id: 'each',
          foreach: ['a', 'b'],
          uses: 'look',
          with: { x: '${{ item }}' },
          repeat: { until: 'output.n > 1', everyMs: 1_000, max: 3 },
        },
      ],
      outputs: '${{ steps.each.output.map(o, o.x) }}',
    })
    const seen = new Map<string, number>()
    const going = bench.go(each, {
      look: (input) => {
        const { x } = input as { x: string }
        seen.set(x, (seen.get(x) ?? 0) + 1)
        return { x, n: seen.get(x) }
      },
    })
    await clock.advance(2_000)
    expect(await going).to.deep.include({ output: ['a', 'b'] })
  })
})
