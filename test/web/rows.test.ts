import { expect } from 'chai'
import type { ApiPage } from '../../server/web/api/types.ts'
import { mergeFresh, renewPage, findShift, rowCount, hasMoreColumns } from '../../server/web/lists/rows.ts'

interface Row {
  readonly id: string
  readonly status: string
}
const row = (text: string): Row => ({ id: text.slice(0, 1), status: text.slice(1) })
const page = (rows: string, next: string | null = 'more'): ApiPage<Row> => ({
  data: rows === '' ? [] : rows.split(' ').map(row),
  next_cursor: next,
  total: 0,
})
const idOf = ({ id }: Row): string => id
const text = (pages: readonly { readonly data: readonly Row[] }[] | undefined) =>
  pages?.map(({ data }) => data.map(({ id, status }) => `${id}${status}`).join(' '))

describe('rows of a displayed list', () => {
  it('follow a newer start of the list and stay below it', () => {
    const shown = [page('d1 c1 b1'), page('a1 z1')]
    expect(text(mergeFresh(shown, page('e1 d2'), idOf)), 'one came, one changed').to.deep.equal([
      'e1 d2 c1 b1',
      'a1 z1',
    ])
    expect(text(mergeFresh(shown, page('d1 b1'), idOf)), 'one left').to.deep.equal(['d1 b1', 'a1 z1'])
    expect(text(mergeFresh(shown, page('a9 d1 c1'), idOf)), 'one moved up').to.deep.equal(['a9 d1 c1', 'z1'])
  })

  it('are replaced by a complete newer list', () => {
    expect(text(mergeFresh([page('d1 c1'), page('b1', null)], page('c1 a1', null), idOf))).to.deep.equal([
      'c1 a1',
    ])
    expect(text(mergeFresh([page('d1', null)], page('', null), idOf))).to.deep.equal([''])
  })

  it('are not merged across a gap', () => {
    expect(mergeFresh([page('c1 b1')], page('z1 y1'), idOf)).to.equal(undefined)
    expect(text(mergeFresh([page('', null)], page('z1 y1'), idOf))).to.deep.equal(['z1 y1'])
  })

  it('have no duplicates and no losses', () => {
    let list = Array.from({ length: 12 }, (_, index) => `${String.fromCodePoint(97 + index)}0`)
    let shown = [
      page(list.slice(0, 4).join(' ')),
      page(list.slice(4, 8).join(' ')),
      page(list.slice(8).join(' ')),
    ]
    for (let step = 0; step < 40; step++) {
      const leaving = list[(step * 7) % 3]
      list = [`${String.fromCodePoint(200 + step)}${step}`, ...list.filter((each) => each !== leaving)]
      shown = mergeFresh(shown, page(list.slice(0, 4).join(' ')), idOf) ?? []
      const rows = text(shown)?.join(' ').trim().split(/ +/) ?? []
      expect(new Set(rows).size, `step ${step}`).to.equal(rows.length)
      expect(rows.slice(0, 4)).to.deep.equal(list.slice(0, 4))
    }
  })

  it('are reloaded page by page', () => {
    const shown = [page('d1 c1'), page('b1 a1'), page('z1')]
    expect(text(renewPage(shown, 1, page('b2 z1'), idOf))).to.deep.equal(['d1 c1', 'b2', 'z1'])
  })
})

describe('the scroll position of a list', () => {
  it('moves down by the rows that arrive above it', () => {
    expect(findShift(['b', 'c'], ['a', 'b', 'c'], 0)).to.deep.equal({ rows: 1, arrived: 1 })
    expect(findShift(['b', 'c'], ['y', 'z', 'b', 'c', 'd'], 1)).to.deep.equal({ rows: 2, arrived: 2 })
    expect(findShift(['b', 'c'], ['b', 'c', 'd'], 1)).to.deep.equal({ rows: 0, arrived: 0 })
  })

  it('moves up by the rows that leave', () => {
    expect(findShift(['a', 'b', 'c', 'd'], ['c', 'd'], 2)).to.deep.equal({ rows: -2, arrived: 0 })
    expect(findShift(['a', 'b', 'c', 'd'], ['x', 'c', 'd'], 2)).to.deep.equal({ rows: -1, arrived: 1 })
  })

  it('follows the next row if the first visible one left', () => {
    expect(findShift(['a', 'b', 'c'], ['x', 'y', 'c'], 1)).to.deep.equal({ rows: 0, arrived: 2 })
  })

  it('does not move for another list', () => {
    expect(findShift([], ['a'], 0)).to.deep.equal({ rows: 0, arrived: 0 })
    expect(findShift(['b', 'c'], ['a'], 0)).to.deep.equal({ rows: 0, arrived: 0 })
  })
})

describe('aria-rowcount of a table', () => {
  it('counts all rows and the head', () => {
    expect(rowCount(100, true, 151)).to.equal(152)
    expect(rowCount(151, false, 150)).to.equal(152)
    expect(rowCount(0, false, 0)).to.equal(1)
  })

  it('is -1 if unknown', () => {
    expect(rowCount(100, true, undefined)).to.equal(-1)
    expect(rowCount(200, true, 180)).to.equal(-1)
  })
})

describe('columns beyond the edge of a table', () => {
  it('exist until the end is reached, in both writing directions', () => {
    const wide = { scrollWidth: 900, clientWidth: 700 }
    expect(hasMoreColumns({ ...wide, scrollLeft: 0 })).to.equal(true)
    expect(hasMoreColumns({ ...wide, scrollLeft: -150 })).to.equal(true)
    expect(hasMoreColumns({ ...wide, scrollLeft: 199.4 })).to.equal(false)
    expect(hasMoreColumns({ ...wide, scrollLeft: -200 })).to.equal(false)
  })

  it('do not exist if all columns fit', () => {
    expect(hasMoreColumns({ scrollLeft: 0, scrollWidth: 700, clientWidth: 700 })).to.equal(false)
  })
})
