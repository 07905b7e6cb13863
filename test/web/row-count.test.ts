import { expect } from 'chai'
import { rowCount } from '../../server/web/lists/rows/row-count.ts'

describe('number of rows that a table tells', () => {
  it('is all there are with the head, loaded or not', () => {
    expect(rowCount(100, true, 151)).to.equal(152)
    expect(rowCount(151, false, 150)).to.equal(152)
    expect(rowCount(0, false, 0)).to.equal(1)
  })

  it('is -1 where nobody knows', () => {
    expect(rowCount(100, true, undefined)).to.equal(-1)
    expect(rowCount(200, true, 180)).to.equal(-1)
  })
})
