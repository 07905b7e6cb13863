import { expect } from 'chai'
import { beginOf, queryNow, rowsSince } from '../../server/web/lists/rows/since.ts'

const minute = 60_000
const now = 1_000 * 60 * minute + 17_000

describe('span of time up to now', () => {
  it('begins so long ago, and moves on with the minutes', () => {
    expect(beginOf('1h', now)).to.equal(now - 17_000 - 60 * minute)
    expect(beginOf('1h', now + 42_000)).to.equal(beginOf('1h', now))
    expect(beginOf('1h', now + 43_000)).to.equal(beginOf('1h', now)! + minute)
    for (const none of [undefined, '2h', 'toString']) expect(beginOf(none, now)).to.equal(undefined)
  })

  it('is asked for as a time, and narrows what another time narrows', () => {
    const begin = beginOf('24h', now)!
    expect(queryNow({ since: '24h', q: 'x' }, now)).to.deep.equal({ q: 'x', created_after: begin })
    const after = (given: number | string) => queryNow({ since: '24h', created_after: given }, now)
    expect(after(String(begin + 5))).to.deep.equal({ created_after: begin + 5 })
    expect(after(begin - 5)).to.deep.equal({ created_after: begin })
    expect(after('noon'), 'for the API to refuse').to.deep.equal({ created_after: 'noon' })
    expect(queryNow({ since: 'ever', created_after: 3 }, now)).to.deep.equal({ created_after: 3 })
  })

  it('leaves out what has grown too old since it was asked for', () => {
    const rows = [{ created_at: 9 }, { created_at: 5 }, { created_at: 4 }]
    expect(rowsSince(rows, 5)).to.deep.equal(rows.slice(0, 2))
    expect(rowsSince(rows, undefined)).to.equal(rows)
    expect(rowsSince([{ id: 1 }], 5), 'of rows without a time').to.have.length(1)
  })
})
