import { expect } from 'chai'
import { createMemoryJournal } from '../../core/playbook-test/run/memory-journal.ts'
import { finished } from '../../core/state/stepwise.ts'
import { planStart as planned, type RateLine } from '../../core/transitions/rate.ts'
import { makeRandom, seed, times } from '../support/random.ts'

type Line = RateLine<never, unknown>

const planStart = (...given: Parameters<typeof planned<never, unknown>>) => finished(planned(...given))

function* at(time: number | undefined) {
  return time
}

const line = (changes: Partial<Line>): Line => ({
  recent: 0,
  ahead: 0,
  plannedAt: undefined,
  startedAt: () => at(undefined),
  waitsUntil: () => at(undefined),
  ...changes,
})

describe('the plan of a start with a rate limit', () => {
  const limit = { requests: 2, perMs: 60 }

  it('is now while the limit has room for it and those ahead', () => {
    expect(planStart(limit, line({ recent: 1 }), 1_000)).to.equal(1_000)
    expect(planStart(limit, line({ recent: 1, ahead: 1, startedAt: () => at(990) }), 1_000)).to.equal(1_050)
  })

  it('is never now for one beyond it, even if those ahead are late', () => {
    expect(planStart(limit, line({ ahead: 2, waitsUntil: () => at(10) }), 1_000)).to.equal(1_030)
  })

  it('keeps to the limit in any window, for any arrivals and late starts', async () => {
    for (let round = 0; round < times(100); round++) {
      const random = makeRandom(seed + round)
      const draw = (most: number) => Math.floor(random() * most)
      const own = { requests: 1 + draw(4), perMs: 10 + draw(100) }
      const clock = { time: 0, now: () => clock.time }
      const { store } = createMemoryJournal({ clock })
      const open = new Map(Array.from({ length: 30 }, (_, at) => [`${at}`, draw(200)] as const))
      const starts: number[] = []
      for (; open.size > 0; clock.time++) {
        expect(clock.time, `seed ${seed}, round ${round}`).to.be.below(30 * 200 + 1_000)
        for (const [path, at] of open) {
          if (at > clock.time) continue
          const start = { limit: own, playbook: 'p', stepId: 's', key: null }
          const waitMs = await store.admit('run', path, start, true)
          if (waitMs > 0) open.set(path, clock.time + waitMs + (draw(5) === 0 ? draw(20) : 0))
          else if (draw(10) === 0) open.set(path, clock.time + draw(30))
          else {
            open.delete(path)
            starts.push(clock.time)
          }
        }
      }
      for (const [at, later] of starts.slice(own.requests).entries())
        expect(later - starts[at]!, `seed ${seed}, round ${round}: ${starts.join()}`).to.be.at.least(
          own.perMs,
        )
    }
  })
})
