import { expect } from 'chai'
import type { RateLimit } from '../../core/plugin/index.ts'
import { createRateBudgets } from '../../core/skill/http/rate-budgets.ts'
import { RateBucket, type Turn } from '../../core/skill/http/rate-bucket.ts'
import { ManualClock, settle } from '../engine/support/manual-clock.ts'
import { makeRandom, seed } from '../support/random.ts'
import { failure } from './fixture.ts'

const minute: readonly RateLimit[] = [{ requests: 3, perMs: 60_000 }]

class Refused extends Error {
  readonly waitMs: number
  constructor(waitMs: number) {
    super(`come back in ${waitMs} ms`)
    this.waitMs = waitMs
  }
}

describe('a rate bucket', () => {
  let clock: ManualClock
  let bucket: RateBucket
  let startMs: number
  beforeEach(() => {
    clock = new ManualClock()
    bucket = new RateBucket(clock)
    startMs = clock.now()
  })

  const take = (changes: Partial<Turn> = {}): Promise<void> =>
    bucket.take({
      limits: minute,
      latestMs: Infinity,
      signal: new AbortController().signal,
      refuse: (waitMs) => new Refused(waitMs),
      ...changes,
    })

  /** Takes this many turns at once, and records their times. */
  const takeMany = (count: number, limits = minute): number[] => {
    const times: number[] = []
    for (let one = 0; one < count; one++) {
      void take({ limits }).then(() => times.push(clock.now() - startMs))
    }
    return times
  }

  it('admits as many calls at once as the limit allows, then one whenever an old one leaves the window', async () => {
    await take()
    await clock.advance(10_000)
    await take()
    const times = takeMany(3)
    await clock.advance(200_000)
    expect(times).to.deep.equal([10_000, 60_000, 70_000])
  })

  it('respects every limit', async () => {
    const times = takeMany(6, [
      { requests: 2, perMs: 1_000 },
      { requests: 4, perMs: 60_000 },
    ])
    await clock.advance(100_000)
    expect(times).to.deep.equal([0, 0, 1_000, 1_000, 60_000, 60_000])
  })

  it('admits calls in order of arrival', async () => {
    const order: number[] = []
    for (let one = 0; one < 20; one++) void take().then(() => order.push(one))
    await clock.advance(600_000)
    expect(order).to.deep.equal(Array.from({ length: 20 }, (_, index) => index))
  })

  it('lets no call overtake another', async () => {
    const times = takeMany(4)
    await clock.advance(60_000)
    void take().then(() => times.push(-1))
    void take().then(() => times.push(-2))
    await clock.advance(1)
    expect(times).to.deep.equal([0, 0, 0, 60_000, -1, -2])
  })

  it('lets no call overtake, even if its own limits would allow it or a slot is free', async () => {
    takeMany(3)
    const order: string[] = []
    void take().then(() => order.push('first'))
    expect(await failure(take({ limits: [], latestMs: startMs + 59_999 }))).to.include({ waitMs: 60_000 })
    clock.jump(60_000)
    void take().then(() => order.push('second'))
    await clock.advance(60_000)
    expect(order).to.deep.equal(['first', 'second'])
  })

  it('refuses a call whose slot comes too late, and says when to retry', async () => {
    takeMany(3)
    await clock.advance(20_000)
    const error = await failure(take({ latestMs: clock.now() + 39_999 }))
    expect(error).to.include({ waitMs: 40_000 })
    await take({ latestMs: clock.now() + 40_000, signal: AbortSignal.abort() }).catch(() => {})
    const inTime = take({ latestMs: clock.now() + 40_000 })
    await clock.advance(40_000)
    await inTime
  })

  it('admits every call that is due, however late it is', async () => {
    await take({ latestMs: startMs - 1 })
    takeMany(2)
    const inTime = take({ latestMs: startMs + 60_000 })
    clock.jump(1)
    await clock.advance(60_000)
    await inTime
  })

  it('schedules refused calls one after the other', async () => {
    takeMany(3)
    const waits: unknown[] = []
    for (let one = 0; one < 4; one++) waits.push(await failure(take({ latestMs: clock.now() })))
    expect(waits.map((error) => (error as Refused).waitMs)).to.deep.equal([60_000, 80_000, 100_000, 120_000])
  })

  it('gives the slot of an aborted call to the next', async () => {
    takeMany(3)
    const impatient = new AbortController()
    const left = failure(take({ signal: impatient.signal }))
    const times = takeMany(1, [
      { requests: 4, perMs: 60_000 },
      { requests: 1, perMs: 20_000 },
    ])
    const reason = new Error('enough')
    impatient.abort(reason)
    expect(await left).to.equal(reason)
    await clock.advance(60_000)
    expect(times).to.deep.equal([20_000])
  })

  it('ignores a call that was aborted before', async () => {
    const reason = new Error('enough')
    expect(await failure(take({ signal: AbortSignal.abort(reason) }))).to.equal(reason)
    expect(bucket.isIdle()).to.equal(true)
  })

  it('handles an abort at the moment of admission', async () => {
    takeMany(3)
    const late = new AbortController()
    const turn = take({ signal: late.signal }).then(() => late.abort())
    const times = takeMany(4)
    await clock.advance(60_000)
    await turn
    await clock.advance(60_000)
    expect(times).to.deep.equal([60_000, 60_000, 120_000, 120_000])
  })

  describe('when closed', () => {
    it('admits nothing until it reopens', async () => {
      bucket.close(startMs + 5_000)
      const times = takeMany(2, [])
      await clock.advance(4_999)
      expect(times).to.deep.equal([])
      await clock.advance(1)
      expect(times).to.deep.equal([5_000, 5_000])
    })

    it('keeps waiting calls waiting, and refuses those that would wait too long', async () => {
      takeMany(3)
      const times: number[] = []
      void take().then(() => times.push(clock.now() - startMs))
      const leaving = new AbortController()
      const late = failure(take({ latestMs: startMs + 89_999, signal: leaving.signal }))
      const patient = take({ latestMs: startMs + 90_000 })
      bucket.close(startMs + 90_000)
      expect(await late).to.include({ waitMs: 90_000 })
      leaving.abort()
      await clock.advance(90_000)
      await patient
      expect(times).to.deep.equal([90_000])
    })

    it('is not reopened by a second, shorter closure', async () => {
      bucket.close(startMs + 5_000)
      bucket.close(startMs + 1_000)
      const times = takeMany(1, [])
      await clock.advance(5_000)
      expect(times).to.deep.equal([5_000])
    })
  })

  it('keeps one timer while calls wait, and none afterwards', async () => {
    takeMany(3)
    expect(clock.pending).to.deep.equal([])
    const leaving = new AbortController()
    const waiting = [failure(take({ signal: leaving.signal })), failure(take({ signal: leaving.signal }))]
    expect(clock.pending).to.deep.equal([60_000])
    leaving.abort(new Error('enough'))
    await Promise.all(waiting)
    expect(clock.pending).to.deep.equal([])
    const times = takeMany(1)
    expect(clock.pending).to.deep.equal([60_000])
    await clock.advance(60_000)
    expect(times).to.have.length(1)
    expect(clock.pending).to.deep.equal([])
  })

  it('keeps working if the clock is set back', async () => {
    takeMany(3)
    clock.jump(-3_600_000)
    const error = await failure(take({ latestMs: clock.now() }))
    expect(error).to.include({ waitMs: 60_000 })
    bucket.close(clock.now() + 1_000)
    clock.jump(-3_600_000)
    expect(await failure(take({ latestMs: clock.now() }))).to.include({ waitMs: 80_000 })
  })

  it(`respects its limits in any sequence (seed ${seed})`, async () => {
    const next = makeRandom(seed)
    const limits = [
      { requests: 5, perMs: 1_000 },
      { requests: 12, perMs: 7_000 },
    ]
    const sent: number[] = []
    for (let round = 0; round < 400; round++) {
      const leaving = new AbortController()
      void take({ limits, signal: leaving.signal, latestMs: clock.now() + next() * 20_000 }).then(
        () => sent.push(clock.now()),
        () => {},
      )
      if (next() < 0.1) leaving.abort(new Error('enough'))
      if (next() < 0.02) bucket.close(clock.now() + next() * 3_000)
      if (next() < 0.7) await clock.advance(Math.floor(next() * 500))
    }
    await clock.advance(60_000)
    expect(sent.length).to.be.above(100)
    for (const { requests, perMs } of limits) {
      for (const [index, time] of sent.entries()) {
        const earlier = sent[index - requests]
        if (earlier !== undefined) expect(time - earlier).to.be.at.least(perMs)
      }
    }
    expect(clock.pending).to.deep.equal([])
  })
})

describe('rate buckets of a process', () => {
  it('are unique per connection and name', () => {
    const budgets = createRateBudgets(new ManualClock())
    const one = budgets.bucket('a', 'x')
    expect(budgets.bucket('a', 'x')).to.equal(one)
    expect(budgets.bucket('b', 'x')).not.to.equal(one)
    expect(budgets.bucket('a', 'y')).not.to.equal(one)
  })

  it('are dropped if there are many, but not while in use', async () => {
    const clock = new ManualClock()
    const budgets = createRateBudgets(clock)
    const used = budgets.bucket('used', '')
    const waitedFor = budgets.bucket('waited for', '')
    const { signal } = new AbortController()
    const turn = { limits: minute, latestMs: Infinity, signal, refuse: () => new Error() }
    await used.take(turn)
    for (let one = 0; one < 4; one++) void waitedFor.take(turn)
    const idle = budgets.bucket('idle', '')
    for (let count = 0; count < 1_000; count++) budgets.bucket(`n-${count}`, '')
    expect(budgets.bucket('used', '')).to.equal(used)
    expect(budgets.bucket('waited for', '')).to.equal(waitedFor)
    expect(budgets.bucket('idle', '')).not.to.equal(idle)
    await clock.advance(60_000)
    await settle()
  })

  it('are bounded even if all of them are in use', () => {
    const budgets = createRateBudgets(new ManualClock())
    const closed = (name: string) => {
      const bucket = budgets.bucket(name, '')
      bucket.close(Infinity)
      return bucket
    }
    const waitedFor = closed('waited for')
    const { signal } = new AbortController()
    void waitedFor.take({ limits: [], latestMs: Infinity, signal, refuse: () => new Error() })
    const first = closed('first')
    for (let count = 0; count < 999; count++) closed(`n-${count}`)
    expect(budgets.bucket('waited for', '')).to.equal(waitedFor)
    expect(budgets.bucket('first', '')).not.to.equal(first)
  })
})
