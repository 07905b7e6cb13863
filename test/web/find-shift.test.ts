import { expect } from 'chai'
import { findShift } from '../../server/web/lists/rows/find-shift.ts'

describe('what somebody reads in a list', () => {
  it('moves down by the rows that arrive above it', () => {
    expect(findShift(['b', 'c'], ['a', 'b', 'c'], 0)).to.deep.equal({ rows: 1, arrived: 1 })
    expect(findShift(['b', 'c'], ['y', 'z', 'b', 'c', 'd'], 1)).to.deep.equal({ rows: 2, arrived: 2 })
    expect(findShift(['b', 'c'], ['b', 'c', 'd'], 1)).to.deep.equal({ rows: 0, arrived: 0 })
  })

  it('moves up by the rows that leave', () => {
    expect(findShift(['a', 'b', 'c', 'd'], ['c', 'd'], 2)).to.deep.equal({ rows: -2, arrived: 0 })
    expect(findShift(['a', 'b', 'c', 'd'], ['x', 'c', 'd'], 2)).to.deep.equal({ rows: -1, arrived: 1 })
  })

  it('goes by the next row where the first one in sight has left', () => {
    expect(findShift(['a', 'b', 'c'], ['x', 'y', 'c'], 1)).to.deep.equal({ rows: 0, arrived: 2 })
  })

  it('is nowhere in another list', () => {
    expect(findShift([], ['a'], 0)).to.deep.equal({ rows: 0, arrived: 0 })
    expect(findShift(['b', 'c'], ['a'], 0)).to.deep.equal({ rows: 0, arrived: 0 })
  })
})
