import { expect } from 'chai'
import { collect, type PagingOptions } from './paging.ts'

/** Pages over the numbers from 0 to `total - 1`. */
function pages(total: number, known = true) {
  const asked: (readonly [from: number, limit: number])[] = []
  const options: PagingOptions<number> = {
    limit: 10,
    pageSize: 4,
    keyOf: String,
    readPage: async (from, limit) => {
      asked.push([from, limit])
      const count = Math.max(0, Math.min(limit, total - from))
      return { items: Array.from({ length: count }, (_, index) => from + index), total: known ? total : null }
    },
  }
  return { asked, options }
}

describe('collect', () => {
  it('reads page after page up to the limit and says that there are more', async () => {
    const { asked, options } = pages(100)
    const found = await collect(options)
    expect(found).to.deep.equal({ items: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], total: 100, truncated: true })
    expect(asked).to.deep.equal([
      [0, 4],
      [4, 4],
      [8, 2],
    ])
  })

  for (const known of [true, false]) {
    it(`ends with the list when the total is ${known ? 'known' : 'not known'}`, async () => {
      const { options } = pages(6, known)
      expect(await collect(options)).to.deep.include({ items: [0, 1, 2, 3, 4, 5], truncated: false })
    })
  }

  it('never asks beyond the offset 1000, and says so', async () => {
    const { asked, options } = pages(5000)
    const found = await collect({
      ...options,
      limit: 1000,
      pageSize: 300,
      wanted: (item) => item % 100 === 0,
    })
    expect(found.items).to.have.length(10)
    expect(found.truncated).to.equal(true)
    expect(asked.at(-1)).to.deep.equal([900, 100])
  })

  it('takes an item that moved to the next page once', async () => {
    const { options } = pages(0)
    const list = [[5, 4], [4, 3], []]
    const found = await collect({
      ...options,
      readPage: async () => ({ items: list.shift() ?? [], total: 6 }),
    })
    expect(found).to.deep.equal({ items: [5, 4, 3], total: 6, truncated: true })
  })

  it('ends when the provider repeats its first page for ever', async () => {
    const { options } = pages(0)
    const found = await collect({ ...options, readPage: async () => ({ items: [1, 2], total: 9999 }) })
    expect(found).to.deep.equal({ items: [1, 2], total: 9999, truncated: true })
  })
})
