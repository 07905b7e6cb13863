import { expect } from 'chai'
import { epochMs, isoText } from './times.ts'

describe('the times of travel', () => {
  it('come in seconds or milliseconds', () => {
    expect(epochMs(1_768_896_000)).to.equal(1_768_896_000_000)
    expect(epochMs(1_768_896_000_000)).to.equal(1_768_896_000_000)
    expect(epochMs(0)).to.equal(0)
    expect(epochMs(null)).to.equal(null)
    expect(epochMs(Infinity)).to.equal(null)
  })

  it('are null where no calendar holds them', () => {
    expect(isoText(1_768_896_000_000)).to.equal('2026-01-20T08:00:00.000Z')
    expect(isoText(1e18)).to.equal(null)
    expect(isoText(null)).to.equal(null)
  })
})
