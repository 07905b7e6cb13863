import { expect } from 'chai'
import fc from 'fast-check'
import { bucketOf, durationsOf } from '../../core/numbers/histogram.ts'
import { dayMs, hourMs, numberRange } from '../../core/numbers/number-range.ts'
import { csvText } from '../../server/http/resources/numbers/csv.ts'
import { tries } from '../support/random.ts'

describe('numbers', () => {
  it('have an exact mean, and percentiles that are at most 5 % off', () => {
    const durations = fc.array(fc.integer({ min: 1_100, max: 30 * dayMs }), { minLength: 1, maxLength: 200 })
    fc.assert(
      fc.property(durations, (all) => {
        const found = durationsOf(all.map((ms) => ({ bucket: bucketOf(ms), count: 1, totalMs: ms })))
        expect(found.meanMs).to.equal(Math.round(all.reduce((sum, ms) => sum + ms, 0) / all.length))
        const sorted = all.toSorted((a, b) => a - b)
        for (const [share, ms] of [
          [0.5, found.p50Ms],
          [0.9, found.p90Ms],
          [0.95, found.p95Ms],
        ] as const) {
          const exact = sorted[Math.ceil(share * all.length) - 1]!
          expect(Math.abs((ms ?? 0) - exact) / exact).to.be.at.most(0.051)
        }
      }),
      tries(200),
    )
  })

  it('have no mean without durations', () => {
    expect(durationsOf([])).to.deep.equal({ count: 0, meanMs: null, p50Ms: null, p90Ms: null, p95Ms: null })
  })

  it('are shown by the hour for up to 8 recent days, else by the day', () => {
    const now = 100 * dayMs + 5
    expect(numberRange(now - dayMs, now, now)).to.deep.equal({
      period: hourMs,
      from: 99 * dayMs,
      to: 100 * dayMs + hourMs,
    })
    expect(numberRange(now - 30 * dayMs, now, now).period).to.equal(dayMs)
    expect(numberRange(now - 40 * dayMs, now - 39 * dayMs, now).period).to.equal(dayMs)
  })

  it('are quoted in CSV, and are no formulas for a spreadsheet', () => {
    const rows = [
      { name: 'a, "b"\n', alerts: -1 },
      { name: '=HYPERLINK("x")', alerts: null },
    ]
    expect(csvText(['name', 'alerts'], rows)).to.equal(
      'name,alerts\r\n"a, ""b""\n",-1\r\n"\'=HYPERLINK(""x"")",\r\n',
    )
  })
})
