import { expect } from 'chai'
import { timeRange } from './time-range.ts'

describe('timeRange', () => {
  for (const [from, to, range] of [
    ['2026-01-12T08:00:00Z', '2026-01-13T08:00:00.5Z', '[2026-01-12T08:00:00.000Z,2026-01-13T08:00:00.500Z]'],
    ['2026-01-12T08:00+02:00', undefined, '[2026-01-12T06:00:00.000Z,]'],
    [undefined, '2026-01-12T08:00:00Z', '[,2026-01-12T08:00:00.000Z]'],
    ['-24h', undefined, '[-24h,]'],
    ['-2d', '-1d', '[-2d,-1d]'],
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
    ['-24h],x', undefined, 'is not a time'],
    ['2026-01-13T08:00:00Z', '2026-01-12T08:00:00Z', 'ends before it begins'],
    ['-24h', '2026-01-12T08:00:00Z', 'cannot be mixed'],
  ] as const) {
    it(`refuses ${from} to ${to ?? 'nothing'}: ${problem}`, () => {
      expect(() => timeRange(from, to))
        .to.throw(problem)
        .with.property('code', 'invalid_time')
    })
  }
})
