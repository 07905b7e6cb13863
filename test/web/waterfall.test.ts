import { expect } from 'chai'
import { waterfallOf, timeScale } from '../../server/web/runs/waterfall.ts'
import { step } from './step.ts'

const error = { code: 'http_503', message: 'no' }

describe('the timeline of a run', () => {
  it('shows failed attempts, delays, and the last attempt', () => {
    const retried = step('a', {
      attempt: 3,
      started_at: 0,
      ended_at: 900,
      failed_attempts: [
        { attempt: 1, started_at: 0, ended_at: 100, retry_at: 200, error },
        { attempt: 2, started_at: 210, ended_at: 300, retry_at: 700, error },
      ],
    })
    const { from, to, rows } = waterfallOf([retried], 5_000)
    expect([from, to]).to.deep.equal([0, 900])
    expect(rows[0]?.stretches).to.deep.equal([
      { kind: 'failed', from: 0, to: 100 },
      { kind: 'wait', from: 100, to: 210 },
      { kind: 'failed', from: 210, to: 300 },
      { kind: 'wait', from: 300, to: 700 },
      { kind: 'completed', from: 700, to: 900 },
    ])
  })

  it('extends running steps to now', () => {
    const { to } = waterfallOf([step('a', { state: 'started', ended_at: null })], 7_000)
    expect(to).to.equal(7_000)
  })

  it('has a length also without durations or steps', () => {
    const { from, to } = waterfallOf([step('a', { ended_at: 1_000 })], 7_000)
    expect(to).to.be.greaterThan(from)
    expect(waterfallOf([], 7_000)).to.deep.equal({ from: 7_000, to: 7_001, rows: [] })
  })

  it('omits entries about called versions', () => {
    expect(waterfallOf([step('@playbooks/other'), step('a')], 0).rows).to.have.length(1)
  })
})

describe('time scale of a run', () => {
  it('is linear without idle periods', () => {
    const { at, cuts } = timeScale({ from: 1_000, to: 3_000 }, [
      { from: 1_000, to: 2_000 },
      { from: 2_000, to: 3_000 },
    ])
    expect([1_000, 1_500, 3_000].map(at)).to.deep.equal([0, 0.25, 1])
    expect(cuts).to.deep.equal([])
  })

  it('shortens long idle periods and labels them', () => {
    const day = 86_400_000
    const { at, cuts } = timeScale({ from: 0, to: day + 20_000 }, [
      { from: 0, to: 10_000 },
      { from: 5_000, to: 8_000 },
      { from: day + 10_000, to: day + 20_000 },
    ])
    // Twenty seconds of work, a quarter of which is drawn for the day.
    expect(at(10_000)).to.be.closeTo(10 / 25, 1e-9)
    expect(at(day + 10_000)).to.be.closeTo(15 / 25, 1e-9)
    expect(at(10_000 + day / 2)).to.be.closeTo(0.5, 1e-9)
    expect([at(-1), at(2 * day)]).to.deep.equal([0, 1])
    expect(cuts.map(({ ms }) => ms)).to.deep.equal([day])
  })

  it('exists for a run that only waits', () => {
    const { at, cuts } = timeScale({ from: 0, to: 60_000 }, [])
    expect(at(30_000)).to.equal(0.5)
    expect(cuts).to.deep.equal([{ from: 0, to: 1, ms: 60_000 }])
  })
})
