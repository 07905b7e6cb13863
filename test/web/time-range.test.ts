import { expect } from 'chai'
import { inputText, inputTime, isRange, rangeText } from '../../server/web/lists/filters/time-range.ts'

const at = String(Date.UTC(2020, 6, 1, 12, 0, 5))

describe('times that a list is narrowed to', () => {
  it('are typed in the zone that times are shown in, and are the same when they are shown again', () => {
    expect(inputText(at, 'utc')).to.equal('2020-07-01T12:00:05')
    expect(inputTime('2020-07-01T12:00:05', 'utc')).to.equal(at)
    for (const zone of ['utc', 'local'] as const) expect(inputTime(inputText(at, zone), zone)).to.equal(at)
    expect(inputTime('', 'utc')).to.equal(null)
    expect(inputText('noon', 'utc')).to.equal('')
    expect(inputText('9'.repeat(16), 'utc')).to.equal('')
  })

  it('are said in words, those too that are none', () => {
    expect(rangeText({}, 'utc')).to.equal('')
    expect(rangeText({ since: '1h' }, 'utc')).to.equal('Last hour')
    expect(rangeText({ created_after: at, created_before: '1' }, 'utc')).to.equal(
      'from 2020-07-01 12:00:05 UTC, before 1970-01-01 00:00:00 UTC',
    )
    expect(rangeText({ since: 'ever', created_after: 'noon' }, 'utc')).to.equal(
      '“ever”, which is no span of time, from “noon”, which is no time',
    )
    expect(isRange({ since: '7d', created_after: at })).to.equal(true)
    for (const wrong of [{ since: 'ever' }, { created_before: 'noon' }, { created_after: '1e3' }])
      expect(isRange(wrong), JSON.stringify(wrong)).to.equal(false)
  })
})
