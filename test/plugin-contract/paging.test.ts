import { expect } from 'chai'
import {
  collectPages,
  SkillError,
  type CollectPagesOptions,
  type PageRequest,
} from '../../core/plugin/index.ts'
import { numbers, pagedSystem, idOf } from './paged-system.ts'

/** Without the counts of read and unreadable items, which most tests ignore. */
const collect = async (options: CollectPagesOptions<number>) => {
  const { read: _read, leftOut: _leftOut, ...found } = await collectPages(options)
  return found
}

describe('collectPages', () => {
  it('ends at a page that is shorter than requested', async () => {
    const { asked, fetch } = pagedSystem(25)
    const found = await collect({ limit: 100, pageSize: 10, idOf, fetch })
    expect(found).to.deep.equal({ items: numbers(0, 25), complete: true, total: null })
    expect(asked).to.deep.equal([
      { offset: 0, number: 1, size: 10 },
      { offset: 10, number: 2, size: 10 },
      { offset: 20, number: 3, size: 10 },
    ])
  })

  it('reads one empty page if the last page is full', async () => {
    const { asked, fetch } = pagedSystem(20)
    const found = await collect({ limit: 100, pageSize: 10, idOf, fetch })
    expect(found).to.deep.equal({ items: numbers(0, 20), complete: true, total: null })
    expect(asked).to.have.length(3)
  })

  it('keeps two items with the same id on one page', async () => {
    const fetch = async () => ['a', 'b', 'a'].map((id, index) => ({ id, index }))
    const { items } = await collectPages({ limit: 100, pageSize: 10, idOf: ({ id }) => id, fetch })
    expect(items.map(({ index }) => index)).to.deep.equal([0, 1, 2])
  })

  it('recognizes an empty list as complete', async () => {
    const found = await collect({ limit: 100, pageSize: 10, fetch: pagedSystem(0).fetch })
    expect(found).to.deep.equal({ items: [], complete: true, total: null })
  })

  it('stops at the limit and reports possible further items', async () => {
    const { asked, fetch } = pagedSystem(100)
    expect(await collect({ limit: 25, pageSize: 10, idOf, fetch })).to.deep.equal({
      items: numbers(0, 25),
      complete: false,
      total: null,
    })
    expect(asked).to.have.length(3)
    const atPage = await collect({ limit: 20, pageSize: 10, idOf, fetch })
    expect(atPage).to.deep.equal({ items: numbers(0, 20), complete: false, total: null })
  })

  it('requests at most the limit', async () => {
    const { asked, fetch } = pagedSystem(100)
    await collect({ limit: 3, pageSize: 10, fetch })
    expect(asked).to.deep.equal([{ offset: 0, number: 1, size: 3 }])
  })

  it('truncates a page that is longer than requested', async () => {
    const found = await collect({ limit: 3, pageSize: 10, fetch: async () => numbers(0, 8) })
    expect(found).to.deep.equal({ items: [0, 1, 2], complete: false, total: null })
  })

  it('stops if the same page repeats', async () => {
    let asked = 0
    const fetch = async () => {
      asked++
      return numbers(0, 10)
    }
    const found = await collect({ limit: 100, pageSize: 10, idOf, fetch })
    expect(found).to.deep.equal({ items: numbers(0, 10), complete: false, total: null })
    expect(asked).to.equal(2)
  })

  it('stops after a maximum number of pages, even if more are announced', async () => {
    let asked = 0
    const fetch = async ({ offset }: PageRequest) => {
      asked++
      return { items: numbers(offset, 10), more: true }
    }
    const found = await collect({ limit: 10_000, pageSize: 10, maxPages: 4, idOf, fetch })
    expect(found).to.deep.equal({ items: numbers(0, 40), complete: false, total: null })
    expect(asked).to.equal(4)
    await collect({ limit: 10_000, pageSize: 10, fetch })
    expect(asked).to.equal(104)
  })

  it('counts an item once if it moved to the next page', async () => {
    const pages = [[1, 2, 3], [3, 4, 5], [6]]
    const fetch = async ({ number }: PageRequest) => pages[number - 1] ?? []
    const found = await collect({ limit: 100, pageSize: 3, idOf, fetch })
    expect(found).to.deep.equal({ items: [1, 2, 3, 4, 5, 6], complete: true, total: null })
  })

  it('trusts an explicit end marker over the length of a page', async () => {
    // It never returns more than 4 items, regardless of the request.
    const fetch = async ({ offset }: PageRequest) => ({ items: numbers(offset, 4), more: offset < 8 })
    const found = await collect({ limit: 100, pageSize: 10, idOf, fetch })
    expect(found).to.deep.equal({ items: numbers(0, 12), complete: true, total: null })
    const exactly = await collect({ limit: 12, pageSize: 10, idOf, fetch })
    expect(exactly).to.deep.equal({ items: numbers(0, 12), complete: true, total: null })
  })

  it('uses the total if there is one, and returns it', async () => {
    // It never returns more than 4 items, and reports the total on its first page only.
    const fetch = async ({ offset }: PageRequest) => ({
      items: numbers(offset, Math.min(4, 11 - offset)),
      total: offset === 0 ? 11 : null,
    })
    const found = await collect({ limit: 100, pageSize: 10, idOf, fetch })
    expect(found).to.deep.equal({ items: numbers(0, 11), complete: true, total: 11 })
    const exactly = await collect({ limit: 11, pageSize: 10, idOf, fetch })
    expect(exactly.complete).to.equal(true)
    const fewer = await collect({ limit: 4, pageSize: 4, idOf, fetch })
    expect(fewer).to.deep.equal({ items: numbers(0, 4), complete: false, total: 11 })
  })

  it('reports missing items if the list ends before its total', async () => {
    const fetch = async ({ offset }: PageRequest) => ({
      items: numbers(offset, offset === 0 ? 3 : 0),
      total: 5,
    })
    const found = await collect({ limit: 100, pageSize: 10, idOf, fetch })
    expect(found).to.deep.equal({ items: [0, 1, 2], complete: false, total: 5 })
  })

  const said = (...pages: readonly { items: readonly number[]; total?: number | null; more?: boolean }[]) => {
    const fetch = async ({ number }: PageRequest) => pages[number - 1] ?? { items: [] }
    return collect({ limit: 100, pageSize: 3, idOf, fetch })
  }

  for (const [what, pages] of Object.entries({
    'an empty page': [{ items: [], total: 4, more: false }],
    'a short page that is called the last': [{ items: [1, 2], total: 4, more: false }],
    'a full page that is called the last': [{ items: [1, 2, 3], total: 4, more: false }],
    'an empty second page': [{ items: [1, 2, 3], total: 4 }, { items: [] }],
    'items that come twice': [{ items: [1, 2, 3], total: 5 }, { items: [3, 4] }],
    'a total that grows': [
      { items: [1, 2, 3], total: 3, more: true },
      { items: [4, 5], total: 9, more: false },
    ],
    'a total that shrinks': [
      { items: [1, 2, 3], total: 9 },
      { items: [4, 5], total: 5, more: false },
    ],
    'a total that is said once': [
      { items: [1, 2, 3], total: 9 },
      { items: [4, 5], total: null, more: false },
    ],
  })) {
    it(`is incomplete if fewer items than the total were read, despite ${what}`, async () => {
      expect((await said(...pages)).complete).to.equal(false)
    })
  }

  it('is complete if as many items as the total were read, in pages of any length', async () => {
    expect(
      (await said({ items: [1, 2], total: 5 }, { items: [3] }, { items: [4, 5], total: 5 })).complete,
    ).to.equal(true)
    expect((await said({ items: [], total: 0, more: false })).complete).to.equal(true)
    expect((await said({ items: [1, 2], total: 1, more: false })).complete).to.equal(true)
    for (const total of [-1, NaN])
      expect(await said({ items: [1], total })).to.include({ complete: true, total: null })
  })

  it('counts filtered and unreadable items as read', async () => {
    const bad = new SkillError('bad_response', 'bad')
    const fetch = async () => ({ items: [1, bad, 2], total: 3, more: false })
    const keep = (item: number) => item === 1
    expect(await collect({ limit: 9, pageSize: 9, idOf, keep, fetch })).to.include({
      complete: true,
      total: 3,
    })
  })

  it('continues after an empty page if more is announced', async () => {
    const found = await collect({
      limit: 9,
      pageSize: 3,
      fetch: async () => ({ items: [], more: true }),
    })
    expect(found).to.deep.equal({ items: [], complete: false, total: null })
  })

  it('counts only kept items toward the limit, with full pages', async () => {
    const { asked, fetch } = pagedSystem(100)
    const keep = (item: number) => item % 5 === 0
    const found = await collect({ limit: 3, pageSize: 10, idOf, keep, fetch })
    expect(found).to.deep.equal({ items: [0, 5, 10], complete: false, total: null })
    expect(asked.map(({ size }) => size)).to.deep.equal([10, 10])
    const all = await collect({ limit: 30, pageSize: 30, idOf, keep, fetch })
    expect(all.items).to.have.length(20)
    expect(all.complete).to.equal(true)
  })

  it('reports how many it read', async () => {
    const { fetch } = pagedSystem(100)
    const keep = (item: number) => item % 5 === 0
    expect((await collectPages({ limit: 3, pageSize: 10, idOf, keep, fetch })).read).to.equal(20)
    expect((await collectPages({ limit: 1000, pageSize: 40, idOf, keep, fetch })).read).to.equal(100)
    expect((await collectPages({ limit: 5, pageSize: 40, fetch })).read).to.equal(5)
  })

  it('ends before its result exceeds the size of a step, and reports possible further items', async () => {
    let asked = 0
    const fetch = async ({ offset, size }: PageRequest) => {
      asked++
      return { items: numbers(offset, size).map((id) => ({ id, text: 'x'.repeat(9_980) })), total: 10_000 }
    }
    const found = await collectPages({ limit: 10_000, pageSize: 100, idOf: ({ id }) => String(id), fetch })
    expect(found.items.length).to.be.within(990, 1_010)
    expect(JSON.stringify(found.items).length).to.be.lessThan(10_100_000)
    expect(found).to.include({ complete: false, total: 10_000 })
    expect(asked).to.equal(11)
    const huge = await collectPages({
      limit: 9,
      pageSize: 9,
      fetch: async () => ['x'.repeat(11_000_000), 'y'],
    })
    expect(huge.items).to.have.length(1)
    expect(huge.complete).to.equal(false)
  })

  it('fails if a page fails', async () => {
    const error = new Error('no page')
    const work = collect({ limit: 1, pageSize: 1, fetch: () => Promise.reject(error) })
    expect(await work.catch((thrown: unknown) => thrown)).to.equal(error)
  })
})
