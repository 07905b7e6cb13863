import { expect } from 'chai'
import { absoluteRange, timeRange } from './time-range.ts'

describe('timeRange', () => {
  for (const [from, to, range] of [
    ['2026-01-12T08:00:00Z', '2026-01-13T08:00:00.5Z', '[2026-01-12T08:00:00.000Z,2026-01-13T08:00:00.500Z]'],
    ['2026-01-12T08:00+02:00', undefined, '[2026-01-12T06:00:00.000Z,]'],
    [undefined, '2026-01-12T08:00:00Z', '[,2026-01-12T08:00:00.000Z]'],
    ['-24h', undefined, '[-24h,]'],
    ['-2d', '-1d', '[-2d,-1d]'],
    ['-1M', '-60m', '[-1M,-60m]'],
    ['-30d', '-1M', '[-30d,-1M]'],
    ['-24h', '-1d', '[-24h,-1d]'],
    ['-12M', '-1y', '[-12M,-1y]'],
    ['2028-02-29T23:30:00-01:00', undefined, '[2028-03-01T00:30:00.000Z,]'],
    [undefined, undefined, undefined],
  ] as const) {
    it(`writes ${from ?? 'nothing'} to ${to ?? 'nothing'} as ${range ?? 'nothing'}`, () => {
      expect(timeRange(from, to)).to.equal(range)
    })
  }

  for (const [from, to, problem] of [
    ['yesterday', undefined, 'is not a time'],
    ['2026-01-12', undefined, 'is not a time'],
    ['2026-01-12T08:00:00', undefined, 'is not a time'],
    ['2026-13-45T08:00:00Z', undefined, 'is not a time'],
    ['2026-02-30T08:00:00Z', undefined, 'is not a time'],
    ['2027-02-29T08:00:00Z', undefined, 'is not a time'],
    ['-24h],x', undefined, 'is not a time'],
    ['2026-01-13T08:00:00Z', '2026-01-12T08:00:00Z', 'ends before it starts'],
    ['-1d', '-2d', 'ends before it starts'],
    ['-1h', '-2d', 'ends before it starts'],
    ['-60m', '-1M', 'ends before it starts'],
    ['-6d', '-1w', 'ends before it starts'],
    ['-11M', '-1y', 'ends before it starts'],
    ['-24h', '2026-01-12T08:00:00Z', 'cannot be mixed'],
  ] as const) {
    it(`refuses ${from} to ${to ?? 'nothing'}: ${problem}`, () => {
      expect(() => timeRange(from, to))
        .to.throw(problem)
        .with.property('code', 'invalid_time')
    })
  }
})

describe('absoluteRange', () => {
  it('writes both ends in UTC, or only the given one', () => {
    expect(absoluteRange('2026-01-12T08:00+02:00', '2026-01-12T06:00:00Z')).to.deep.equal({
      from: '2026-01-12T06:00:00.000Z',
      until: '2026-01-12T06:00:00.000Z',
    })
    expect(absoluteRange(undefined, '2026-01-12T06:00:00Z')).to.include({ from: undefined })
    expect(absoluteRange(undefined, undefined)).to.equal(undefined)
  })

  for (const [from, until, problem] of [
    ['-24h', undefined, 'is not a time'],
    [undefined, '-24h', 'is not a time'],
    ['2026-02-30T08:00:00Z', undefined, 'is not a time'],
    ['2027-01-01T00:00:00Z', '2026-01-01T00:00:00Z', 'ends before it starts'],
  ] as const) {
    it(`refuses ${from ?? 'nothing'} to ${until ?? 'nothing'}: ${problem}`, () => {
      expect(() => absoluteRange(from, until))
        .to.throw(problem)
        .with.property('code', 'invalid_time')
    })
  }
})
