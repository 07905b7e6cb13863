import { expect } from 'chai'
import { CountCache } from '../../server/sql/database/count-cache.ts'
import { known } from '../../server/sql/database/work.ts'
import { done } from '../../server/sqlite/database/sqlite-database.ts'

describe('counts of lists', () => {
  it('are not cached for small tables', () => {
    const counts = new CountCache()
    let made = 0
    for (let time = 0; time < 3; time++) done(counts.total('a', 19_999, () => known(++made)))
    expect(made).to.equal(3)
  })

  it('are cached for a hundred times their duration, at most a minute, per list', () => {
    let now = 0
    const counts = new CountCache(() => now)
    let made = 0
    const count = (key: string, ms: number) =>
      done(
        counts.total(key, 1_000_000, () => {
          now += ms
          return known(++made)
        }),
      )
    expect([count('a', 20), count('a', 20), count('b', 5_000)]).to.deep.equal([1, 1, 2])
    now = 20 + 100 * 20
    expect(count('a', 20)).to.equal(3)
    now = 5_020 + 59_999
    expect(count('b', 1)).to.equal(2)
    now += 2
    expect(count('b', 1)).to.equal(4)
  })
})
