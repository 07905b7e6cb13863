import { expect } from 'chai'
import { isMoreSideways } from '../../server/web/lists/table/is-more-sideways.ts'

describe('what is beyond the edge of a table', () => {
  it('is there until it is scrolled to its end, in either direction of writing', () => {
    const wide = { scrollWidth: 900, clientWidth: 700 }
    expect(isMoreSideways({ ...wide, scrollLeft: 0 })).to.equal(true)
    expect(isMoreSideways({ ...wide, scrollLeft: -150 })).to.equal(true)
    expect(isMoreSideways({ ...wide, scrollLeft: 199.4 })).to.equal(false)
    expect(isMoreSideways({ ...wide, scrollLeft: -200 })).to.equal(false)
  })

  it('is not there where all fits', () => {
    expect(isMoreSideways({ scrollLeft: 0, scrollWidth: 700, clientWidth: 700 })).to.equal(false)
  })
})
