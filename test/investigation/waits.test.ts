import { expect } from 'chai'
import { createWaits } from '../../core/investigation/waits.ts'
import { ManualClock, settle } from '../engine/support/manual-clock.ts'

describe('waits for investigations', () => {
  const watch = (wait: Promise<void>) => {
    const seen = { over: false }
    void wait.then(() => (seen.over = true))
    return seen
  }

  it('end with the investigation or at their timeout', async () => {
    const clock = new ManualClock()
    const waits = createWaits(clock)
    const [ended, late, other] = [waits.wait('a', 1_000), waits.wait('a', 10), waits.wait('b', 1_000)].map(
      watch,
    )
    await clock.advance(10)
    expect([ended, late, other].map((seen) => seen?.over)).to.deep.equal([false, true, false])
    waits.end('a')
    await settle()
    expect([ended, other].map((seen) => seen?.over)).to.deep.equal([true, false])
    expect(clock.pending, 'no timer is left of what has ended').to.deep.equal([990])
  })

  it('of a repeat end with the first alert of its group or with its own investigation', async () => {
    const waits = createWaits(new ManualClock())
    const [one, two] = [waits.wait('repeat', 1_000), waits.wait('another', 1_000)].map(watch)
    waits.follow('repeat', 'first')
    waits.follow('another', 'first')
    waits.follow('nobody waits', 'first')
    waits.end('another')
    await settle()
    expect([one?.over, two?.over]).to.deep.equal([false, true])
    waits.end('first')
    await settle()
    expect(one?.over).to.equal(true)
  })
})
