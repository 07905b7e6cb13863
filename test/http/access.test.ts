import { expect } from 'chai'
import type { Role } from '../../core/domain/api-key.ts'
import { routes } from '../../server/http/routing/routes.ts'
import { accessTable, tableRoles as roles, type AccessRow } from './support/access-table.ts'
import { startApi, type Api, type Reply } from './support/api.ts'
import { expectProblem } from './support/schemas.ts'
import { acceptedSignIns, manualPlaybook, thingsOf, type Thing, type ThingKind } from './support/things.ts'

const outsidePrefix = new Set(
  routes.filter((route) => route.outsidePrefix).map(({ method, path }) => `${method} ${path}`),
)

/** Objects shared by all organizations, in a path. */
const shared: Readonly<Record<string, string>> = {
  playbook: 'p',
  provider: 'siem',
  plugin: 'tower',
  skill: 'tower.look_up',
  route: 'x',
}

/** The organizations of the key; all named objects belong to `acme`. */
const scopes = { all: undefined, own: ['acme'], 'own and another': ['acme', 'globex'], foreign: ['globex'] }
type ScopeName = keyof typeof scopes

const viewed = new Set(routes.flatMap(({ method, path, view }) => (view ? [`${method} ${path}`] : [])))

describe('access', () => {
  let api: Api
  const keys = new Map<string, string>()
  const keyOf = (role: Role, scope: ScopeName) => keys.get(`${role} ${scope}`) ?? ''
  const cookies: Partial<Record<Role, string>> = {}
  let things: ReturnType<typeof thingsOf>
  let calls = 0

  before(async () => {
    api = await startApi()
    api.playbooks.push(manualPlaybook)
    api.signIn = acceptedSignIns(api.organizations['acme'] ?? '')
    for (const role of roles)
      for (const [name, codes] of Object.entries(scopes))
        keys.set(`${role} ${name}`, await api.newKey(role, codes))
    for (const role of roles) cookies[role] = await signIn(keyOf(role, 'own'))
    // One object of each kind, for the lists.
    things = thingsOf(api, 'acme')
    for (const make of Object.values(things)) await make()
  })
  after(() => api.close())

  it('is declared in this table for every route', () => {
    const operations = routes.map(({ method, path }) => `${method} ${path}`)
    expect(operations).to.have.members(Object.keys(accessTable))
  })

  async function send(
    operation: string,
    key: string | null,
    ids: Readonly<Record<string, string>>,
    body?: object,
    cookie?: string,
  ) {
    const [method = '', template = ''] = operation.split(' ')
    const filled = template.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent({ ...shared, ...ids }[name] ?? 'x'),
    )
    const path = `${outsidePrefix.has(operation) ? '' : '/api'}${filled}`
    // A session can end only itself.
    if (operation === 'DELETE /session' && key !== null) {
      return await api.call(method, path, { key: null, headers: { cookie: await signIn(key) } })
    }
    const headers = {
      ...((/^P(ATCH|UT)$/.test(method) || / .*\/(merge|split|draft|publish)$/.test(operation)) && {
        'if-match': '*',
      }),
      ...(cookie !== undefined && { cookie }),
    }
    return await api.call(method, path, { key, headers, ...(body !== undefined && { body }) })
  }

  const isThing = (of: AccessRow['of']): of is ThingKind => Object.hasOwn(things, of)
  const nothing = async (): Promise<Thing> => ({})

  /** The cookie of a browser after a sign-in with the key. */
  async function signIn(key: string): Promise<string> {
    const { headers } = await api.call('POST', '/api/session', { key: null, body: { api_key: key } })
    return headers.get('set-cookie')?.split(';')[0] ?? ''
  }

  /** Each spelling of the ids of a new object of `acme`; one empty entry if the path names none. */
  async function* attempts({ of, thing, body }: AccessRow) {
    const kind = thing ?? of
    const make = isThing(kind) ? things[kind] : nothing
    const spellings = Math.max(1, ...Object.values(await make()).map((ids) => ids.length))
    for (let at = 0; at < spellings; at++) {
      const entries = Object.entries(await make()).map(([name, ids]) => [name, ids[at] ?? ids[0] ?? ''])
      const ids = Object.fromEntries(entries) as Record<string, string>
      yield { ids, body: body?.('acme', ids, ++calls) }
    }
  }

  /** The expected result of a call with a sufficient role. */
  function expectAllowed({ of }: AccessRow, scope: ScopeName, reply: Reply): void {
    if (of === 'person') return expectProblem(reply, 403, 'account_needed')
    if (of === 'whole' && scope !== 'all') return expectProblem(reply, 403, 'key_is_scoped')
    expect(reply.status, reply.text).to.be.oneOf([200, 201, 202])
    if (of === 'list') expect(reply.json.data.length, reply.text).to.be.above(0)
  }

  /** Without the places that repeat the request. */
  const withoutGiven = (text: string, field = 'detail'): string =>
    text.replaceAll(/"(\w+)":"[^"]*"/g, (all, name: string) =>
      ['detail', 'message', field].includes(name) ? '' : all,
    )

  /** An object of another organization is indistinguishable from a missing one. */
  function expectForeign({ of, foreign }: AccessRow, reply: Reply): void {
    for (const trace of ['acme', 'ACME', api.organizations['acme'] ?? ''])
      expect(withoutGiven(reply.text, foreign?.repeats)).to.not.include(trace)
    if (foreign !== undefined) {
      expect([reply.status, reply.text.includes(foreign.includes)]).to.deep.equal([foreign.status, true])
    } else if (of === 'person') expectProblem(reply, 403, 'account_needed')
    else if (of === 'body') expectProblem(reply, 400, 'unknown_organization')
    else if (of === 'list' || of === 'shared') expect(reply.status, reply.text).to.equal(200)
    else if (of === 'whole') expectProblem(reply, 403, 'key_is_scoped')
    else expect(reply.status, reply.text).to.equal(404)
  }

  for (const [operation, row] of Object.entries(accessTable)) {
    describe(operation, () => {
      if (row === 'public') {
        it('allows everyone', async () => {
          expect((await send(operation, null, {})).status).to.equal(200)
        })
        return
      }
      if (row === 'sign_in') {
        it('refuses requests without a key in the body, and from other web sites', async () => {
          // Options need no body, and the test server has no address for passkeys.
          const [status, code] = operation.endsWith('/options')
            ? ([409, 'passkeys_off'] as const)
            : ([400, 'body_missing'] as const)
          for (const key of [null, ...keys.values()])
            expectProblem(await send(operation, key, {}), status, code)
          const foreign = { key: null, headers: { 'sec-fetch-site': 'cross-site' } }
          const path = `/api${operation.split(' ')[1]}`
          expectProblem(await api.call('POST', path, foreign), 403, 'cross_site_request')
        })
        return
      }
      if (row === 'logout_token') {
        // `test/identity/sign-in.test.ts` sends tokens.
        it('is off for everybody without an identity provider', async () => {
          for (const key of [null, ...keys.values()])
            expectProblem(await send(operation, key, {}), 404, 'single_sign_on_off')
        })
        return
      }
      if (row === 'events_token') {
        it('refuses every key without the webhook token', async () => {
          // All requests come from one address, which has a rate limit.
          api.clock.time += 10_000
          for (const key of [null, ...keys.values()])
            expectProblem(await send(operation, key, {}), 401, 'webhook_refused')
        })
        return
      }

      if (operation.startsWith('GET '))
        it('grants a session the same access as its key', async () => {
          for (const role of roles)
            for await (const { ids } of attempts(row)) {
              const byKey = await send(operation, keyOf(role, 'own'), ids)
              const bySession = await send(operation, null, ids, undefined, cookies[role])
              expect([bySession.status, bySession.json?.code]).to.deep.equal([byKey.status, byKey.json?.code])
            }
        })

      it('refuses requests without a key', async () => {
        expectProblem(await send(operation, null, {}), 401, 'key_missing')
      })

      for (const role of roles) {
        if (!row.roles.includes(role)) {
          it(`refuses role ${role} and changes nothing`, async () => {
            for (const scope of Object.keys(scopes) as ScopeName[])
              for await (const { ids, body } of attempts(row)) {
                const before = await api.stores.audit.head()
                expectProblem(await send(operation, keyOf(role, scope), ids, body), 403, 'role_insufficient')
                expect(await api.stores.audit.head()).to.deep.equal(before)
              }
          })
          continue
        }
        for (const scope of ['all', 'own', 'own and another'] as const)
          it(`allows role ${role} with access to ${scope}`, async () => {
            for await (const { ids, body } of attempts(row)) {
              expectAllowed(row, scope, await send(operation, keyOf(role, scope), ids, body))
            }
          })
        it(`hides objects of other organizations from role ${role}`, async () => {
          for await (const { ids, body } of attempts(row)) {
            const before = await api.stores.audit.head()
            expectForeign(row, await send(operation, keyOf(role, 'foreign'), ids, body))
            // The first view of a list of credentials is recorded for the organization of the key.
            if (operation === 'DELETE /session' || viewed.has(operation)) continue
            expect(await api.stores.audit.head()).to.deep.equal(before)
          }
        })
      }
    })
  }
})
