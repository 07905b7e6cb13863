import { expect } from 'chai'
import { useFakeTimers, type SinonFakeTimers } from 'sinon'
import { throttled } from '../../server/web/lists/throttled.ts'

describe('throttled work', () => {
  let clock: SinonFakeTimers
  beforeEach(() => {
    clock = useFakeTimers()
  })
  afterEach(() => clock.restore())

  it('runs once however often it becomes due', async () => {
    let times = 0
    const { due } = throttled(async () => void times++, 5_000)
    for (let at = 0; at < 20; at++) {
      due()
      await clock.tickAsync(1_500)
    }
    expect(times, 'in 30 s').to.be.within(4, 6)
    await clock.tickAsync(60_000)
    expect(times, 'and not where it is not due').to.be.within(4, 7)
  })

  it('runs again if it becomes due while running, also after an error', async () => {
    const ends: (() => void)[] = []
    const { due } = throttled(() => new Promise((_, reject) => ends.push(() => reject(new Error('no')))), 10)
    due()
    await clock.tickAsync(10)
    due()
    await clock.tickAsync(100)
    expect(ends, 'never twice at the same time').to.have.length(1)
    ends[0]?.()
    await clock.tickAsync(10)
    expect(ends).to.have.length(2)
  })

  it('is cancelled by stop', async () => {
    const seen: AbortSignal[] = []
    const work = throttled((gone) => {
      seen.push(gone)
      return new Promise(() => undefined)
    }, 10)
    work.due()
    await clock.tickAsync(10)
    work.stop()
    expect(seen[0]?.aborted).to.equal(true)
    work.due()
    await clock.tickAsync(100)
    expect(seen).to.have.length(1)
  })
})
