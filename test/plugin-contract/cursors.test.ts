import { expect } from 'chai'
import { collectPages, nextLink, objectsAt, textAt, type SkillContext } from '../../core/plugin/index.ts'
import { loopbackEgress, runSkill, serveSandbox, type SandboxCall } from '../../core/plugin/testing/index.ts'
import { connection, failure, skillThat } from '../skill/fixture.ts'

type Pages = Readonly<Record<string, { readonly items: readonly string[]; readonly next?: string | null }>>

/** Collects from a system with page cursors. */
async function collect(pages: Pages, more: object = {}) {
  const asked: (string | undefined)[] = []
  const found = await collectPages<string>({
    limit: 100,
    pageSize: 2,
    idOf: (item) => item,
    ...more,
    async fetch({ cursor }) {
      asked.push(cursor)
      const { items, next } = pages[cursor ?? 'first'] ?? { items: [] }
      return { items, next }
    },
  })
  const { items, complete } = found
  return { asked, items: items.join(''), complete }
}

describe('collectPages with cursors', () => {
  it('passes on the cursor of each page, whatever the size of a page, up to one without', async () => {
    for (const last of [null, '', undefined]) {
      const pages: Pages = {
        first: { items: ['a'], next: 'x' },
        x: { items: ['b', 'c'], next: 'y' },
        y: { items: ['d', 'e'], ...(last === undefined ? {} : { next: last }) },
      }
      expect(await collect(pages)).to.deep.equal({
        asked: [undefined, 'x', 'y'],
        items: 'abcde',
        complete: true,
      })
    }
  })

  it('reads on after an empty page that names another', async () => {
    const pages = { first: { items: [], next: 'x' }, x: { items: ['a'], next: null } }
    expect(await collect(pages)).to.deep.include({ items: 'a', complete: true })
  })

  it('ends at a repeated cursor, and does not report the list as complete', async () => {
    const pages = {
      first: { items: ['a'], next: 'x' },
      x: { items: ['b'], next: 'y' },
      y: { items: ['c'], next: 'x' },
    }
    expect(await collect(pages)).to.deep.equal({
      asked: [undefined, 'x', 'y'],
      items: 'abc',
      complete: false,
    })
    const empty = { first: { items: [], next: 'x' }, x: { items: [], next: 'x' } }
    expect(await collect(empty)).to.deep.equal({ asked: [undefined, 'x'], items: '', complete: false })
  })

  it('ends at the limit, and after `maxPages`', async () => {
    const pages = { first: { items: ['a', 'b'], next: 'x' }, x: { items: ['c'], next: null } }
    expect(await collect(pages, { limit: 2 })).to.deep.equal({
      asked: [undefined],
      items: 'ab',
      complete: false,
    })
    expect(await collect(pages, { maxPages: 1 })).to.deep.include({ items: 'ab', complete: false })
  })

  it('ends if `more` announces a page without a cursor', async () => {
    const fetch = async () => ({ items: ['a'], more: true, next: undefined })
    expect(await collectPages({ limit: 9, pageSize: 1, fetch })).to.include({ complete: false, read: 1 })
  })
})

describe('nextLink', () => {
  const url = 'https://box.example.com/v1/items?page=1'
  const next = (link: string) => nextLink({ url, headers: { link } })

  for (const [header, address] of Object.entries({
    '<https://box.example.com/v1/items?page=2>; rel="next"': 'https://box.example.com/v1/items?page=2',
    '<https://a/1>; rel="prev", <https://a/3>; rel="next", <https://a/9>; rel=last': 'https://a/3',
    '<https://a/?q=1,2;3>; title="a, \\"b\\"; rel=next"; REL="Last Next"': 'https://a/?q=1,2;3',
    '<?page=2>;rel=next': 'https://box.example.com/v1/items?page=2',
    '</v1/items?after=x>; hreflang; rel = next': 'https://box.example.com/v1/items?after=x',
    '<https://a/2>; rel=last; rel=next': undefined,
    '<https://a/2>; rel=next; anchor="#foo"': undefined,
    '<https://a/2>; title="rel=next"': undefined,
    '<https://a:b:c/>; rel=next': undefined,
    '': undefined,
  })) {
    it(`reads ${header || 'nothing'}`, () => expect(next(header)).to.equal(address))
  }

  it('takes no longer for a hostile header', () => {
    for (const bad of ['<>; a="\\', '<>;a= ', '< ;', '<>;a;'])
      expect(next(bad.repeat(4_000))).to.equal(undefined)
  })
})

describe('a list whose pages are linked', () => {
  const page = (names: readonly string[], link: string) => ({
    json: { items: names.map((name) => ({ name })) },
    headers: { link },
  })
  const linked = serveSandbox(
    () => ({
      'GET /v1/items': ({ query }: SandboxCall) => {
        const after = query.get('after')
        if (after === null) return page(['a', 'b'], '</v1/items?after=b>; rel="next"')
        return after === 'b' ? page(['c'], '') : page(['x'], '<https://evil.example/v1/items>; rel="next"')
      },
    }),
    (url) => ({ base_url: `${url}/v1`, key: 'sandbox-key' }),
  )

  async function list(after?: string) {
    const running = await linked.start()
    const skill = skillThat(
      async (_input, { http }: SkillContext<never>) => {
        const { items } = await collectPages<string>({
          limit: 10,
          pageSize: 2,
          async fetch({ cursor }) {
            const answer = await http.get(
              cursor ?? '/items',
              cursor === undefined ? { query: { after } } : {},
            )
            return {
              items: objectsAt(answer.json(), 'items').map((one) => textAt(one, 'name') ?? ''),
              next: nextLink(answer),
            }
          },
        })
        return { text: items.join('') }
      },
      { connection },
    )
    try {
      const { output } = await runSkill(skill, {}, { settings: running.settings, egress: loopbackEgress })
      return { output, keys: running.requests.map(({ headers }) => headers['x-key']) }
    } finally {
      await running.close()
    }
  }

  it('is read to its end, with credentials', async () => {
    expect(await list()).to.deep.equal({ output: { text: 'abc' }, keys: ['sandbox-key', 'sandbox-key'] })
  })

  it('does not lead away from the base address', async () => {
    expect(await failure(list('elsewhere'))).to.include({ code: 'bad_path' })
  })
})
