import { expect } from 'chai'
import { countArrivals } from '../../server/web/lists/count-arrivals.ts'

describe('rows that arrived', () => {
  it('are those before all that were there, in the order in which they were', () => {
    expect(countArrivals(['b', 'c'], ['a', 'b', 'c'])).to.equal(1)
    expect(countArrivals(['b', 'c'], ['y', 'z', 'b', 'c', 'd'])).to.equal(2)
    expect(countArrivals(['b', 'c'], ['b', 'c', 'd'])).to.equal(0)
  })

  it('are none where the list is another one', () => {
    expect(countArrivals([], ['a'])).to.equal(0)
    expect(countArrivals(['b', 'c'], ['a', 'b', 'd'])).to.equal(0)
    expect(countArrivals(['b'], [])).to.equal(0)
  })
})
