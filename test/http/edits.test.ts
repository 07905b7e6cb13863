import { expect } from 'chai'
import { routes } from '../../server/http/routing/routes.ts'
import { startApi, type Api } from './support/api.ts'
import { expectProblem } from './support/schemas.ts'
import { thingsOf, towerSettings } from './support/things.ts'

/** Editable objects: their path, and an edit. */
const edited = [
  ['/organizations/{organization}', { name: 'Acme & Sons' }],
  ['/providers/{provider}', { name: 'The SIEM' }],
  ['/connections/{connection}', { enabled: false }],
  ['/cases/{case}', { title: 'Another' }],
  ['/keys/{key}', { allowed_addresses: ['192.0.2.0/24'] }],
  ['/accounts/{account}', { name: 'Anna B' }],
] as const
/** They have no route of their own to read: the revision is in the answer of the case, and in the list of roles. */
const editedElsewhere = ['/cases/{case}/tasks/{task}', '/roles/{role}']

describe('an edit over the API', () => {
  let api: Api
  /** By the name of the parameter. */
  let ids: Readonly<Record<string, string>>
  const patch = (path: string, body: object, ifMatch?: string | null) =>
    api.call('PATCH', path, { body, headers: typeof ifMatch === 'string' ? { 'if-match': ifMatch } : {} })
  const tagOf = async (path: string) => (await api.call('GET', path)).headers.get('etag')

  beforeEach(async () => {
    api = await startApi()
    const body = { organization_code: 'acme', name: 'north', plugin: 'tower', settings: towerSettings }
    const made = await api.call('POST', '/api/connections', { body })
    expect(made.headers.get('etag')).to.equal('"1"')
    const things = thingsOf(api, 'acme')
    await things.case()
    const others = [await things.key(), await things.account()]
    ids = {
      organization: 'acme',
      provider: 'siem',
      connection: 'north',
      case: 'acme-1',
      ...Object.fromEntries(
        others.flatMap((thing) => Object.entries(thing).map(([name, [id]]) => [name, id])),
      ),
    }
  })
  afterEach(() => api.close())

  it('requires If-Match on every editable resource', () => {
    // What a person sets for themselves replaces one value, which no one else edits.
    const editing = routes.filter(
      ({ method, path }) => /^(PATCH|PUT)$/.test(method) && !/^\/(me|notifications)\//.test(path),
    )
    for (const { method, path, headers } of editing)
      expect(headers?.properties, `${method} ${path}`).to.have.property('if-match')
    const patched = editing.filter(({ method }) => method === 'PATCH').map(({ path }) => path)
    expect([...edited.map(([route]) => route), ...editedElsewhere]).to.have.members(patched)
  })

  for (const [route, body] of edited) {
    describe(`of ${route}`, () => {
      let path: string
      beforeEach(() => (path = `/api${route.replace(/\{(\w+)\}/, (_, name: string) => ids[name] ?? '')}`))

      it('applies with the current ETag and returns the next one', async () => {
        const tag = await tagOf(path)
        expect(tag).to.equal('"1"')
        const reply = await patch(path, body, tag)
        expect(reply.status, reply.text).to.equal(200)
        expect(reply.json).to.deep.include({ ...body, revision: 2 })
        expect(reply.headers.get('etag')).to.equal('"2"')
        const now = await api.call('GET', path)
        expect(now.json).to.deep.include(reply.json)
        expect(now.headers.get('etag')).to.equal('"2"')
      })

      it('is refused with a stale ETag and changes nothing', async () => {
        const tag = await tagOf(path)
        expect((await patch(path, body, tag)).status).to.equal(200)
        const before = await api.stores.audit.head()
        expectProblem(await patch(path, body, tag), 412, 'precondition_failed')
        for (const other of ['"0"', '"x"', 'W/"2"', '"1", "7"']) {
          expectProblem(await patch(path, body, other), 412, 'precondition_failed')
        }
        expect(await api.stores.audit.head()).to.deep.equal(before)
      })

      it('wins against a concurrent edit with the same ETag', async () => {
        const tag = await tagOf(path)
        const replies = await Promise.all([patch(path, body, tag), patch(path, body, tag)])
        expect(replies.map(({ status }) => status)).to.have.members([200, 412])
      })

      it('accepts several ETags of which one is current', async () => {
        const tag = await tagOf(path)
        const others = ['"888888"', 'W/"1"', '"x"']
        expectProblem(await patch(path, body, others.join(', ')), 412, 'precondition_failed')
        expectProblem(await patch(path, body, `W/${tag}`), 412, 'precondition_failed')
        expect((await patch(path, body, [...others, tag].join(','))).status).to.equal(200)
      })

      it('is refused with a malformed If-Match', async () => {
        for (const ifMatch of ['2', '"2', '*, "1"', '"1" "2"', '"1"x', '']) {
          const reply = await patch(path, body, ifMatch)
          expectProblem(reply, 400, 'header_invalid')
          expect(reply.json.errors[0].pointer, ifMatch).to.equal('/if-match')
        }
      })

      it('requires If-Match, where `*` matches every version', async () => {
        expectProblem(await patch(path, body), 428, 'precondition_required')
        expect((await patch(path, body, '*')).status).to.equal(200)
      })
    })
  }

  it('that deletes accepts an optional If-Match', async () => {
    const remove = (ifMatch?: string) =>
      api.call('DELETE', '/api/connections/north', {
        headers: ifMatch === undefined ? {} : { 'if-match': ifMatch },
      })
    expectProblem(await remove('"2"'), 412, 'precondition_failed')
    expect((await remove('"1"')).status).to.equal(200)
    expectProblem(await remove(), 404, 'connection_not_found')
  })

  it('refuses a missing organization or provider', async () => {
    for (const [path, code] of [
      ['/api/organizations/none', 'organization_not_found'],
      // Some case conversions turn the Kelvin sign into a `k`.
      ['/api/organizations/%E2%84%AA', 'organization_not_found'],
      ['/api/providers/none', 'provider_not_found'],
    ] as const) {
      expectProblem(await api.call('GET', path), 404, code)
      expectProblem(await patch(path, { name: 'x' }, '*'), 404, code)
    }
    expectProblem(await patch('/api/organizations/acme', { code: 'x' }, '*'), 400, 'value_invalid')
  })
})
