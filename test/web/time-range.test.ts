import { expect } from 'chai'
import {
  dateInputText,
  dateInputTime,
  isValidRange,
  rangeText,
  spanStart,
  queryAt,
  rowsSince,
} from '../../server/web/lists/time-range.ts'

const at = String(Date.UTC(2020, 6, 1, 12, 0, 5))

describe('time filters of a list', () => {
  it('use the displayed time zone in both directions', () => {
    expect(dateInputText(at, 'utc')).to.equal('2020-07-01T12:00:05')
    expect(dateInputTime('2020-07-01T12:00:05', 'utc')).to.equal(at)
    for (const zone of ['utc', 'local'] as const)
      expect(dateInputTime(dateInputText(at, zone), zone)).to.equal(at)
    expect(dateInputTime('', 'utc')).to.equal(null)
    expect(dateInputText('noon', 'utc')).to.equal('')
    expect(dateInputText('9'.repeat(16), 'utc')).to.equal('')
  })

  it('are shown as text, also invalid ones', () => {
    expect(rangeText({}, 'utc')).to.equal('')
    expect(rangeText({ since: '1h' }, 'utc')).to.equal('Last hour')
    expect(rangeText({ created_after: at, created_before: '1' }, 'utc')).to.equal(
      'from 2020-07-01 12:00:05 UTC, before 1970-01-01 00:00:00 UTC',
    )
    expect(rangeText({ since: 'ever', created_after: 'noon' }, 'utc')).to.equal(
      '“ever” (invalid time span), from “noon” (invalid time)',
    )
    expect(isValidRange({ since: '7d', created_after: at })).to.equal(true)
    for (const wrong of [{ since: 'ever' }, { created_before: 'noon' }, { created_after: '1e3' }])
      expect(isValidRange(wrong), JSON.stringify(wrong)).to.equal(false)
  })
})

const minute = 60_000
const now = 1_000 * 60 * minute + 17_000

describe('span of time up to now', () => {
  it('starts at a full minute and moves with the time', () => {
    expect(spanStart('1h', now)).to.equal(now - 17_000 - 60 * minute)
    expect(spanStart('1h', now + 42_000)).to.equal(spanStart('1h', now))
    expect(spanStart('1h', now + 43_000)).to.equal(spanStart('1h', now)! + minute)
    for (const none of [undefined, '2h', 'toString']) expect(spanStart(none, now)).to.equal(undefined)
  })

  it('becomes a time in the query, and the later one applies', () => {
    const begin = spanStart('24h', now)!
    expect(queryAt({ since: '24h', q: 'x' }, now)).to.deep.equal({ q: 'x', created_after: begin })
    const after = (given: number | string) => queryAt({ since: '24h', created_after: given }, now)
    expect(after(String(begin + 5))).to.deep.equal({ created_after: begin + 5 })
    expect(after(begin - 5)).to.deep.equal({ created_after: begin })
    expect(after('noon'), 'for the API to refuse').to.deep.equal({ created_after: 'noon' })
    expect(queryAt({ since: 'ever', created_after: 3 }, now)).to.deep.equal({ created_after: 3 })
  })

  it('hides rows that have become too old', () => {
    const rows = [{ created_at: 9 }, { created_at: 5 }, { created_at: 4 }]
    expect(rowsSince(rows, 5)).to.deep.equal(rows.slice(0, 2))
    expect(rowsSince(rows, undefined)).to.equal(rows)
    expect(rowsSince([{ id: 1 }], 5), 'of rows without a time').to.have.length(1)
  })
})
