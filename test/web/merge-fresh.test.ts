import { expect } from 'chai'
import type { Page } from '../../server/web/api/types.ts'
import { mergeFresh, renewPage } from '../../server/web/lists/rows/merge-fresh.ts'

interface Row {
  readonly id: string
  readonly status: string
}
const row = (text: string): Row => ({ id: text.slice(0, 1), status: text.slice(1) })
const page = (rows: string, next: string | null = 'more'): Page<Row> => ({
  data: rows === '' ? [] : rows.split(' ').map(row),
  next_cursor: next,
  total: 0,
})
const idOf = ({ id }: Row): string => id
const text = (pages: readonly { readonly data: readonly Row[] }[] | undefined) =>
  pages?.map(({ data }) => data.map(({ id, status }) => `${id}${status}`).join(' '))

describe('rows of a list that is shown', () => {
  it('come, change, move and leave as the newer beginning says, and stay further down', () => {
    const shown = [page('d1 c1 b1'), page('a1 z1')]
    expect(text(mergeFresh(shown, page('e1 d2'), idOf)), 'one came, one changed').to.deep.equal([
      'e1 d2 c1 b1',
      'a1 z1',
    ])
    expect(text(mergeFresh(shown, page('d1 b1'), idOf)), 'one left').to.deep.equal(['d1 b1', 'a1 z1'])
    expect(text(mergeFresh(shown, page('a9 d1 c1'), idOf)), 'one moved up').to.deep.equal(['a9 d1 c1', 'z1'])
  })

  it('are those of the newer list where that is whole', () => {
    expect(text(mergeFresh([page('d1 c1'), page('b1', null)], page('c1 a1', null), idOf))).to.deep.equal([
      'c1 a1',
    ])
    expect(text(mergeFresh([page('d1', null)], page('', null), idOf))).to.deep.equal([''])
  })

  it('are not put together with rows that nothing connects them with', () => {
    expect(mergeFresh([page('c1 b1')], page('z1 y1'), idOf)).to.equal(undefined)
    expect(text(mergeFresh([page('', null)], page('z1 y1'), idOf))).to.deep.equal(['z1 y1'])
  })

  it('never stand twice, and lose none, whatever comes and goes', () => {
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

  it('are renewed page by page further down, where others have gone to another page', () => {
    const shown = [page('d1 c1'), page('b1 a1'), page('z1')]
    expect(text(renewPage(shown, 1, page('b2 z1'), idOf))).to.deep.equal(['d1 c1', 'b2', 'z1'])
  })
})
