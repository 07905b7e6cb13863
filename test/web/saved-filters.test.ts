import { expect } from 'chai'
import { isWithoutRoom, readSaved, withSaved } from '../../server/web/lists/filters/saved-filters.ts'
import { beginOf } from '../../server/web/lists/rows/since.ts'

describe('saved filters', () => {
  it('are read from what the browser keeps, whatever stands there', () => {
    expect(readSaved(null)).to.deep.equal([])
    expect(readSaved('{not json')).to.deep.equal([])
    expect(readSaved('{"name":"a"}')).to.deep.equal([])
    expect(readSaved('[null,7,{"name":"a"},{"name":"b","search":"q=1"}]')).to.deep.equal([
      { name: 'b', search: 'q=1' },
    ])
  })

  it('stand by name, one for each', () => {
    const saved = withSaved([{ name: 'b', search: 'q=1' }], { name: 'a', search: 'q=2' })
    expect(withSaved(saved, { name: 'b', search: 'q=3' })).to.deep.equal([
      { name: 'a', search: 'q=2' },
      { name: 'b', search: 'q=3' },
    ])
  })
})

describe('saved filters of which there are very many', () => {
  const saved = Array.from({ length: 30 }, (_, n) => ({ name: `f${n}`, search: '' }))

  it('leave no room for another one, but for one of the same name', () => {
    expect(isWithoutRoom(saved, 'one more')).to.equal(true)
    expect(isWithoutRoom(saved, 'f7')).to.equal(false)
    expect(isWithoutRoom(saved.slice(1), 'one more')).to.equal(false)
  })
})

describe('spans of time', () => {
  it('begin so long ago, to the minute, and are none under another name', () => {
    expect(beginOf('24h', 100_000_000)).to.equal(13_560_000)
    expect(beginOf('toString', 1)).to.equal(undefined)
    expect(beginOf(undefined, 1)).to.equal(undefined)
  })
})
