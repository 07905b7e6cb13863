import { expect } from 'chai'
import fc from 'fast-check'
import { createParkedRuns } from '../../core/engine/turns/parked-runs.ts'
import type { ParkedRun } from '../../core/ports/runs/run-store.ts'
import { tries } from '../support/random.ts'
import { ManualClock, settle } from './support/manual-clock.ts'

describe('parked runs', () => {
  let clock: ManualClock
  let stored: ParkedRun[]
  let woken: string[]
  let refusals: number
  beforeEach(() => {
    clock = new ManualClock()
    stored = []
    woken = []
    refusals = 0
  })

  const run = (number: number, wakeAt: number): ParkedRun => ({
    uuid: String(number),
    organizationUuid: 'a',
    wakeAt,
  })
  const place = (one: ParkedRun) => stored.findIndex(({ uuid }) => uuid === one.uuid)
  const before = (a: ParkedRun, b: ParkedRun) => a.wakeAt - b.wakeAt || place(a) - place(b)

  const open = (maxInMemory: number) =>
    createParkedRuns({
      clock,
      maxInMemory,
      onStoreError: () => Promise.resolve(),
      async next(after, limit) {
        if (refusals-- > 0) throw new Error('the disk is away')
        const sorted = stored.filter(({ wakeAt }) => wakeAt < Infinity).toSorted(before)
        const page = sorted.filter((each) => after === undefined || before(after, each) < 0).slice(0, limit)
        await Promise.resolve()
        return page
      },
      wake({ uuid, wakeAt }) {
        expect(clock.now()).to.be.at.least(wakeAt)
        woken.push(uuid)
      },
    })
  const park = (parked: ReturnType<typeof open>, one: ParkedRun) => {
    stored.push(one)
    parked.add(one)
  }

  it('wake on time, with few of them in memory', async () => {
    const start = clock.now()
    for (let n = 0; n < 200; n++) stored.push(run(n, start + ((n * 7919) % 50) * 1_000))
    stored.push(run(999, Infinity))
    const parked = open(10)
    parked.start()
    for (let second = 0; second < 50; second++) {
      await settle()
      expect(parked.size).to.be.at.most(20)
      await clock.advance(1_000)
    }
    expect(new Set(woken)).to.deep.equal(new Set(Array.from({ length: 200 }, (_, n) => String(n))))
    expect(clock.pending).to.deep.equal([])
  })

  it('wake when the clock is set forward, and after a store failure', async () => {
    for (let n = 0; n < 30; n++) stored.push(run(n, clock.now() + 86_400_000 + n))
    refusals = 3
    const parked = open(10)
    parked.start()
    await settle()
    clock.jump(2 * 86_400_000)
    // Waits read the clock every few minutes.
    await clock.advance(300_000)
    expect(new Set(woken).size).to.equal(30)
  })

  it('do not wake early when the clock is set back', async () => {
    const parked = open(10)
    park(parked, run(1, clock.now() + 10_000))
    clock.jump(-3_600_000)
    await clock.advance(3_609_999)
    expect(woken).to.deep.equal([])
    await clock.advance(300_000)
    expect(woken).to.deep.equal(['1'])
  })

  it('are forgotten when cleared, even while they are being read', async () => {
    stored.push(run(1, clock.now() + 1_000))
    const parked = open(10)
    parked.start()
    parked.clear()
    await clock.advance(10_000)
    expect(woken).to.deep.equal([])
    expect(clock.pending).to.deep.equal([])
  })

  it('all wake, even if runs are parked while others are read', async () => {
    const step = fc.record({
      move: fc.constantFrom('park', 'park', 'time', 'turn'),
      ms: fc.integer({ min: 0, max: 2_000 }),
    })
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 80 }),
        fc.integer({ min: 1, max: 3 }),
        async (steps, max) => {
          clock = new ManualClock()
          stored = []
          woken = []
          for (let n = 0; n < 5; n++) stored.push(run(n, clock.now() + n * 400))
          const parked = open(max)
          parked.start()
          for (const { move, ms } of steps) {
            if (move === 'park') park(parked, run(stored.length, clock.now() + ms))
            else if (move === 'time') await clock.advance(ms)
            else await Promise.resolve()
          }
          await clock.advance(10_000)
          const missing = stored.filter(({ uuid }) => !woken.includes(uuid))
          expect(missing).to.deep.equal([])
          expect(parked.size).to.equal(0)
        },
      ),
      tries(60),
    )
  })
})
