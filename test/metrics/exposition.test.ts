import { expect } from 'chai'
import { createExposition } from '../../server/metrics/exposition.ts'

describe('the metrics exposition', () => {
  it('follows the format', () => {
    const exposition = createExposition()
    const asked = exposition.counter('asked_total', 'Questions.')
    exposition.gauge('depth', 'How deep.', () => [{ value: 1.5 }, { labels: { at: 'x' }, value: 2 }])
    asked.increase({ by: 'a"b\\c\nd', of: 'z' })
    asked.increase({ by: 'a"b\\c\nd', of: 'z' }, 2)
    asked.increase()
    expect(exposition.text()).to.equal(
      '# HELP asked_total Questions.\n# TYPE asked_total counter\n' +
        'asked_total{by="a\\"b\\\\c\\nd",of="z"} 3\nasked_total 1\n' +
        '# HELP depth How deep.\n# TYPE depth gauge\ndepth 1.5\ndepth{at="x"} 2\n',
    )
  })

  it("counts values up to each bucket's bound, and all in the last", () => {
    const exposition = createExposition()
    const took = exposition.histogram('took_seconds', 'Time.', [0.1, 1])
    for (const value of [0.05, 0.1, 0.5, 1, 7]) took.observe(value, { skill: 'a.b' })
    expect(exposition.text().split('\n').slice(2, -1)).to.deep.equal([
      'took_seconds_bucket{skill="a.b",le="0.1"} 2',
      'took_seconds_bucket{skill="a.b",le="1"} 4',
      'took_seconds_bucket{skill="a.b",le="+Inf"} 5',
      'took_seconds_sum{skill="a.b"} 8.65',
      'took_seconds_count{skill="a.b"} 5',
    ])
  })
})
