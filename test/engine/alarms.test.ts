import { expect } from 'chai'
import fc from 'fast-check'
import { createAlarms } from '../../core/engine/turns/alarms.ts'
import { ManualClock } from './support/manual-clock.ts'
import { tries } from '../support/random.ts'

describe('alarms', () => {
  it('ring once, in order of their times, and not before', async () => {
    const times = fc.array(fc.integer({ min: 0, max: 1_000_000 }), { maxLength: 60 })
    await fc.assert(
      fc.asyncProperty(times, times, async (early, late) => {
        const clock = new ManualClock()
        const start = clock.now()
        const rung: number[] = []
        const alarms = createAlarms<number>(clock, (atMs) => {
          expect(clock.now()).to.be.at.least(atMs)
          rung.push(atMs)
        })
        for (const after of early) alarms.set(start + after, start + after)
        await clock.advance(400_000)
        expect(rung).to.have.length(early.filter((after) => after <= 400_000).length)
        const middle = clock.now()
        for (const after of late) alarms.set(middle + after, middle + after)
        await clock.advance(1_000_000)
        const expected = [...early.map((after) => start + after), ...late.map((after) => middle + after)]
        expect(rung).to.deep.equal(expected.toSorted((a, b) => a - b))
        expect(clock.pending).to.deep.equal([])
      }),
      tries(15),
    )
  })

  it('ring on time even if an earlier one is set later', async () => {
    const clock = new ManualClock()
    const rung: number[] = []
    const alarms = createAlarms<number>(clock, () => rung.push(clock.now()))
    const start = clock.now()
    for (const after of [200_000, 100_000, 150_000, 50_000]) alarms.set(start + after, after)
    await clock.advance(200_000)
    expect(rung.map((at) => at - start)).to.deep.equal([50_000, 100_000, 150_000, 200_000])
  })

  it('share one timer and follow clock changes', async () => {
    const clock = new ManualClock()
    let rung = 0
    const alarms = createAlarms<number>(clock, () => rung++)
    for (let n = 0; n < 50_000; n++) alarms.set(clock.now() + 86_400_000 + ((n * 7919) % 1_000), n)
    expect(clock.pending).to.have.length(1)
    clock.jump(86_402_000)
    await clock.advance(300_000)
    expect(rung).to.equal(50_000)
    expect(alarms.size).to.equal(0)
  })

  it('do not ring after they are cleared', async () => {
    const clock = new ManualClock()
    let rung = 0
    const alarms = createAlarms<string>(clock, () => rung++)
    alarms.set(clock.now() + 10, 'a')
    alarms.clear()
    await clock.advance(1_000)
    expect(rung).to.equal(0)
    expect(clock.pending).to.deep.equal([])
  })
})
