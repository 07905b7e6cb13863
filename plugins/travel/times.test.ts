import { expect } from 'chai'
import { parseEpochMs, isoText } from './times.ts'

describe('times in travel data', () => {
  it('may be seconds or milliseconds', () => {
    expect(parseEpochMs(1_768_896_000)).to.equal(1_768_896_000_000)
    expect(parseEpochMs(1_768_896_000_000)).to.equal(1_768_896_000_000)
    expect(parseEpochMs(0)).to.equal(0)
    expect(parseEpochMs(null)).to.equal(null)
    expect(parseEpochMs(Infinity)).to.equal(null)
  })

  for (const [text, iso] of [
    ['1768896000', '2026-01-20T08:00:00.000Z'],
    ['1768896000000', '2026-01-20T08:00:00.000Z'],
    ['2026-01-20T08:00:00Z', '2026-01-20T08:00:00.000Z'],
    [' 2026-01-20T09:00:00.000+01:00 ', '2026-01-20T08:00:00.000Z'],
    ['2026-01-20T09:00:00', '2026-01-20T09:00:00.000Z'],
    ['2026-01-20 09:00', '2026-01-20T09:00:00.000Z'],
    ['2026-01-20', null],
    ['2026-13-20T09:00:00', null],
    ['9', null],
    ['soon', null],
    ['', null],
  ] as const) {
    it(`may be text: '${text}'`, () => {
      expect(isoText(parseEpochMs(text))).to.equal(iso)
    })
  }

  it('are null if no calendar date matches', () => {
    expect(isoText(1_768_896_000_000)).to.equal('2026-01-20T08:00:00.000Z')
    expect(isoText(1e18)).to.equal(null)
    expect(isoText(null)).to.equal(null)
  })
})
