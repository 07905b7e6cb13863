import { expect } from 'chai'
import { accessTable } from './support/access-table.ts'
import { startApi, type Api } from './support/api.ts'
import { oddTexts } from './support/fuzz-values.ts'
import { manualPlaybook, thingsOf, type Thing, type ThingKind } from './support/things.ts'

/** Bodies that fit but for one of their texts, which is another one, or for one of their lists, which is long. */
function* grown(value: unknown, texts: readonly string[]): Generator {
  if (typeof value === 'string') yield* texts
  if (Array.isArray(value)) {
    if (value.length > 0) yield Array.from({ length: 5_000 }, (_, at) => value[at % value.length] as unknown)
    for (const [at, item] of value.entries())
      for (const other of grown(item, texts)) yield value.with(at, other)
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, inner] of Object.entries(value))
      for (const other of grown(inner, texts)) yield { ...value, [name]: other }
  }
}

/** The same for all organizations. */
const shared: Readonly<Record<string, string>> = { provider: 'siem', playbook: 'p' }

const longTexts = ['x'.repeat(100_000), ' \n'.repeat(50_000), '😀'.repeat(25_000), '${{ '.repeat(25_000)]

describe('a body that fits, grown in one place', () => {
  let api: Api
  let things: Readonly<Record<string, () => Promise<Thing>>>
  let calls = 0
  before(async () => {
    api = await startApi()
    api.playbooks.push(manualPlaybook)
    things = thingsOf(api, 'acme')
  })
  after(() => api.close())

  for (const [operation, row] of Object.entries(accessTable)) {
    if (typeof row === 'string' || row.body === undefined) continue
    const { of, body } = row
    const [method = '', path = ''] = operation.split(' ')

    const prepared = async () => {
      const thing = await things[of as ThingKind]?.()
      const ids = Object.fromEntries(Object.entries(thing ?? {}).map(([name, [id = '']]) => [name, id]))
      const target = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
        encodeURIComponent(ids[name] ?? shared[name] ?? 'x'),
      )
      return { target: `/api${target}`, fitting: body('acme', ids, 1_000_000 + ++calls) }
    }
    const send = (target: string, sent: unknown) =>
      api.call(method, target, { body: sent, headers: method === 'POST' ? {} : { 'if-match': '*' } })

    it(`of ${operation} is taken or refused, and as it is it is taken`, async () => {
      const { target, fitting } = await prepared()
      for (const sent of grown(fitting, [...oddTexts.map((text) => text.toWellFormed()), ...longTexts])) {
        const { status, text } = await send(target, sent)
        expect(status, `${JSON.stringify(sent).slice(0, 300)}\n→ ${text.slice(0, 500)}`).to.be.within(
          200,
          499,
        )
      }
      const fresh = await prepared()
      const { status, text } = await send(fresh.target, fresh.fitting)
      expect(status, text).to.be.oneOf([200, 201])
    })
  }

  it('brings nothing down', async () => {
    expect((await api.call('GET', '/readyz')).status).to.equal(200)
    expect(api.logged.filter(({ level }) => level === 'error')).to.deep.equal([])
    expect((await api.stores.audit.verify()).broken).to.equal(null)
  })
})
