import { expect } from 'chai'
import { journalOf, openBench, type Bench } from './support/bench.ts'
import { makePlaybook } from './support/make-playbook.ts'
import { ManualClock } from './support/manual-clock.ts'

const minute = 60_000

describe('a task that waits for its group', () => {
  let bench: Bench
  let clock: ManualClock
  beforeEach(async () => {
    clock = new ManualClock()
    bench = await openBench(clock)
  })
  afterEach(() => bench.close())

  /** Answers after the number of minutes in its input. */
  const slow = async (input: unknown, { signal }: { readonly signal: AbortSignal }) => {
    await clock.sleep((input as { minutes: number }).minutes * minute, signal)
    return null
  }

  it('begins after the others, which adds up their waits', async () => {
    const began = clock.now()
    const going = bench.go(
      makePlaybook({
        steps: [{ parallel: [{ wait: '10m' }, { wait: '10m' }], concurrency: 1 }],
        outputs: '${{ now }}',
      }),
      {},
    )
    await clock.advance(20 * minute)
    expect((await going).output).to.equal(new Date(began + 20 * minute).toISOString())
  })

  const three = makePlaybook({
    steps: [
      {
        id: 'each',
        foreach: [1, 10, 10, 5],
        concurrency: 2,
        timeoutMs: 15 * minute,
        steps: [
          { id: 'seen', set: '${{ now }}' },
          { uses: 'x.slow', with: { minutes: '${{ item }}' }, timeoutMs: 20 * minute },
          { id: 'at', set: { began: '${{ steps.seen.output }}' } },
        ],
      },
    ],
  })

  it('has its whole timeout from its start', async () => {
    const run = await bench.startRun()
    const began = clock.now()
    const going = bench.go(three, { 'x.slow': slow }, { run })
    await clock.advance(30 * minute)
    expect(await going).to.include({ status: 'completed' })
    const journal = await journalOf(bench.stores, run.uuid)
    const minutesOf = (path: string) =>
      (Date.parse(String(journal.find((entry) => entry.path === path)?.output)) - began) / minute
    // The first run ends after 1 minute, then the third begins; the second ends after 10, then the fourth
    // begins.
    expect([0, 1, 2, 3].map((item) => minutesOf(`each[${item}]/seen`))).to.deep.equal([0, 0, 1, 10])
  })

  it('fails at its own timeout and not before', async () => {
    const playbook = makePlaybook({
      steps: [
        {
          id: 'each',
          foreach: [10, 16],
          concurrency: 2,
          onItemError: 'continue',
          timeoutMs: 15 * minute,
          steps: [{ uses: 'x.slow', with: { minutes: '${{ item }}' }, timeoutMs: 20 * minute }],
        },
      ],
      outputs: '${{ steps.each.items.map(i, i.status) }}',
    })
    const going = bench.go(playbook, { 'x.slow': slow })
    await clock.advance(20 * minute)
    expect((await going).output).to.deep.equal(['completed', 'failed'])
  })

  it('begins at the same time when the run is resumed', async () => {
    const run = await bench.startRun()
    const going = bench.go(three, { 'x.slow': slow }, { run })
    await clock.advance(30 * minute)
    const first = await going
    const before = await journalOf(bench.stores, run.uuid)
    await clock.advance(60 * minute)
    expect(await bench.go(three, { 'x.slow': slow }, { run })).to.deep.equal(first)
    expect(await journalOf(bench.stores, run.uuid)).to.deep.equal(before)
  })
})
