import { expect } from 'chai'
import { routes } from '../../server/http/routing/routes.ts'
import { accessTable } from './support/access-table.ts'
import { eventually } from '../support/eventually.ts'
import { startApi, type Api } from './support/api.ts'
import { oddTexts } from './support/fuzz-values.ts'
import { newPerson, type TestPerson } from './support/people.ts'
import { expectFits } from './support/schemas.ts'
import { manualPlaybook, thingsOf, type Thing, type ThingKind } from './support/things.ts'

/** Valid bodies with one text replaced, or with one long list. */
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

/**
 * Values of every kind at the limits of numbers, names and nesting; as JSON text, which can express more than
 * values.
 */
const oddValues = [
  'null',
  'true',
  '0',
  '-1',
  '0.5',
  '1e308',
  '9007199254740993',
  '""',
  '[]',
  '[null]',
  '{}',
  '{"__proto__":{"a":1},"constructor":null}',
  `${'['.repeat(500)}${']'.repeat(500)}`,
  '{"$ref":"#/x","x-secret":true}',
]

/** Placeholder in a body for the JSON text that replaces it. */
const place = '\u0001place\u0001'

/** Bodies, as JSON, with one value replaced, removed or added. */
function* changed(value: unknown): Generator<string> {
  for (const body of placed(value)) {
    const text = JSON.stringify(body)
    for (const odd of oddValues) yield text.replace(JSON.stringify(place), () => odd)
  }
  yield* without(value).map((body) => JSON.stringify(body))
}

/** With the mark in place of each value in turn, and as an additional field. */
function* placed(value: unknown): Generator {
  yield place
  if (Array.isArray(value))
    for (const [at, item] of value.entries()) for (const other of placed(item)) yield value.with(at, other)
  else if (typeof value === 'object' && value !== null) {
    yield { ...value, unasked: place }
    for (const [name, inner] of Object.entries(value))
      for (const other of placed(inner)) yield { ...value, [name]: other }
  }
}

/** Without each of its fields in turn. */
function without(value: unknown): readonly unknown[] {
  if (Array.isArray(value))
    return value.flatMap((item, at) => without(item).map((other) => value.with(at, other)))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) => {
    const { [name]: _, ...others } = value as Record<string, unknown>
    return [others, ...without(inner).map((other) => ({ ...value, [name]: other }))]
  })
}

/** Places in a schema that accept any integer. */
function unbounded(schema: unknown, at: string): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return []
  const { type, maximum, enum: values } = schema as Readonly<Record<string, unknown>>
  const isNumber = [type].flat().some((one) => one === 'integer' || one === 'number')
  const isBounded = values !== undefined || (typeof maximum === 'number' && maximum < 2 ** 53)
  const inner = Object.entries(schema).flatMap(([name, part]) => unbounded(part, `${at}/${name}`))
  return isNumber && !isBounded ? [at, ...inner] : inner
}

/** The same for all organizations. */
const shared: Readonly<Record<string, string>> = { provider: 'siem', playbook: 'p', skill: 'tower.look_up' }

const longTexts = ['x'.repeat(100_000), ' \n'.repeat(50_000), '😀'.repeat(25_000), '${{ '.repeat(25_000)]

describe('a valid body', () => {
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
    // Completes a sign-in, which must have begun: see test/sign-in.
    if (operation === 'POST /oauth/callback') continue
    // Needs a secret or challenge of this session: see test/http/person-sign-in.test.ts and passkeys.test.ts.
    if (operation === 'POST /me/totp/confirm' || operation.includes('/me/passkeys')) continue
    const { of, thing: kind = of, body } = row
    const [method = '', path = ''] = operation.split(' ')

    let caller: Pick<Api, 'call'> | TestPerson
    const prepared = async () => {
      const thing = await things[kind as ThingKind]?.()
      const ids = Object.fromEntries(Object.entries(thing ?? {}).map(([name, [id = '']]) => [name, id]))
      const target = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
        encodeURIComponent(ids[name] ?? shared[name] ?? 'x'),
      )
      caller = of === 'person' ? await newPerson(api, 'Anna', ['admin']) : api
      return { target: `/api${target}`, fitting: body('acme', ids, 1_000_000 + ++calls) }
    }
    const send = (target: string, sent: unknown) =>
      caller.call(method, target, {
        body: sent,
        headers: method === 'POST' && !/\/(merge|split|publish)$/.test(path) ? {} : { 'if-match': '*' },
      })

    it(`of ${operation} is accepted, and accepted or refused with one odd value`, async () => {
      const { target, fitting } = await prepared()
      for (const sent of grown(fitting, [...oddTexts.map((text) => text.toWellFormed()), ...longTexts])) {
        const { status, text } = await send(target, sent)
        expect(status, `${JSON.stringify(sent).slice(0, 300)}\n→ ${text.slice(0, 500)}`).to.be.within(
          200,
          499,
        )
      }
      for (const sent of changed(fitting)) {
        const reply = await send(target, sent)
        expect(reply.status, `${sent.slice(0, 300)}\n→ ${reply.text.slice(0, 500)}`).to.be.within(200, 499)
        if (reply.status >= 400) expectFits('error', reply.json)
      }
      const fresh = await prepared()
      const { status, text } = await eventually('a place among the backtests', async () => {
        const reply = await send(fresh.target, fresh.fitting)
        return reply.text.includes('backtest_running') ? undefined : reply
      })
      expect(status, text).to.be.oneOf([200, 201, 202])
    })
  }

  it('has a maximum for every number', () => {
    // It is read as an int64 and stored unchanged.
    const exact = '/alerts body/properties/created_at_source'
    const found = routes.flatMap(({ path, body, query }) => [
      ...unbounded(body, `${path} body`),
      ...unbounded(query, `${path} query`),
    ])
    expect(found.filter((at) => at !== exact)).to.deep.equal([])
  })

  it('does not crash the server with any odd value', async () => {
    expect((await api.call('GET', '/readyz')).status).to.equal(200)
    expect(api.logged.filter(({ level }) => level === 'error')).to.deep.equal([])
    expect((await api.stores.audit.verify()).broken).to.equal(null)
  })
})
