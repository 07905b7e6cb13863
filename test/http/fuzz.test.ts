import { expect } from 'chai'
import * as fc from 'fast-check'
import { seed, times, tries } from '../support/random.ts'
import { accessTable, type AccessRow } from './support/access-table.ts'
import { acceptedSignOn } from '../identity/support/signed-on.ts'
import { startApi, type Api } from './support/api.ts'
import { exchange, type Exchanged } from './support/exchange.ts'
import { fuzzedRequests, operationsOf, type FuzzedRequest } from './support/fuzz-requests.ts'
import { oddTexts } from './support/fuzz-values.ts'
import { newPerson } from './support/people.ts'
import { expectFits } from './support/schemas.ts'
import { manualPlaybook, thingsOf, type Thing } from './support/things.ts'
import type { OpenApiDocument } from '../../server/http/reference/openapi-document.ts'

const idsOf = (thing: Thing = {}): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(thing).map(([name, [id = '']]) => [name, id]))

describe(`any request to any route (TOCSIN_TEST_SEED=${seed})`, function () {
  this.timeout(times(180_000))
  let api: Api
  let document: OpenApiDocument
  let ids: Readonly<Record<string, string>>

  before(async () => {
    api = await startApi(
      { limits: { requestTimeoutMs: 5_000, headersTimeoutMs: 5_000 } },
      undefined,
      undefined,
      acceptedSignOn,
    )
    api.playbooks.push(manualPlaybook)
    document = (await api.call('GET', '/api/openapi.json', { key: null })).json
    ids = { provider: 'siem', plugin: 'tower', route: 'rope' }
    for (const make of Object.values(thingsOf(api, 'acme'))) ids = { ...ids, ...idsOf(await make()) }
  })
  after(() => api.close())

  /** The request succeeded, or was refused with a problem document. */
  function expectAnswer({ bytes, isCut }: FuzzedRequest, answer: Exchanged | undefined): void {
    const request = Buffer.from(bytes).toString('latin1').slice(0, 2_000)
    if (answer === undefined) {
      expect(isCut, `no answer to ${request}`).to.equal(true)
      return
    }
    const { status, headers, body } = answer
    expect(status, `${request}\n→ ${status} ${body.slice(0, 2_000)}`).to.be.within(200, 499)
    expect(headers.get('x-injected'), request).to.equal(undefined)
    if (status < 400) return
    expect(headers.get('content-type'), request).to.equal('application/problem+json')
    expect(headers.get('x-content-type-options'), request).to.equal('nosniff')
    if (body === '' && request.startsWith('HEAD ')) return
    const problem = JSON.parse(body) as { status: number }
    expect(problem.status, request).to.equal(status)
    expectFits('error', problem)
  }

  it('with an odd value in any query parameter succeeds or is refused', async () => {
    for (const [method, path, { parameters }] of operationsOf(document)) {
      if (method !== 'get') continue
      const target = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(ids[name] ?? 'x'))
      for (const { name } of parameters.filter((one) => one.in === 'query'))
        for (const value of oddTexts) {
          const query = `${name}=${encodeURIComponent(value.toWellFormed())}`
          const { status, text } = await api.call('GET', `${target}?${query}`)
          expect(status, `${target}?${query}\n${text}`).to.be.within(200, 499)
        }
    }
  })

  it('succeeds or gets a problem document, and the server keeps working', async () => {
    const statuses = new Map<number, number>()
    const reached = new Set<string>()
    const signIn = (path: string): Pick<AccessRow, 'of' | 'body'> => ({
      of: 'whole',
      body: () => (path === '/api/session' ? { api_key: api.adminKey } : {}),
    })
    const things: Readonly<Record<string, () => Promise<Thing>>> = thingsOf(api, 'acme')
    for (const [at, [method, path, operation]] of operationsOf(document).entries()) {
      const row = accessTable[`${method.toUpperCase()} ${path.replace('/api', '')}`]
      const { of, body } = typeof row === 'object' ? row : signIn(path)
      const own = { ...ids, playbook: 'p', ...idsOf(await things[of]?.()) }
      const fits = operation.requestBody && body?.('acme', own, 1_000_000 + at)
      const cookie =
        of === 'person' ? (await newPerson(api, 'Anna', ['admin'])).cookie : `Session=${api.adminKey}`
      const known = { cookie, ids: own, fitting: fits }
      await fc.assert(
        fc.asyncProperty(fuzzedRequests(method, path, operation, known), async (request) => {
          const answer = await exchange(api.url, request)
          expectAnswer(request, answer)
          const { status = 0 } = answer ?? {}
          statuses.set(status, (statuses.get(status) ?? 0) + 1)
          if (status >= 200 && status < 300) reached.add(operation.operationId)
        }),
        { ...tries(20), endOnFailure: true },
      )
    }
    // Some requests must pass the first checks.
    expect(statuses.size).to.be.above(6)
    // Sign-ins and webhooks need a secret or challenge that no request here has.
    const reachable = operationsOf(document).filter(
      ([, path]) => !/^\/api\/(?:me\/|session|invitation|oauth|webhooks)/.test(path),
    )
    const found = reachable.filter(([, , { operationId }]) => reached.has(operationId))
    expect(found.length).to.be.above(reachable.length * 0.9)

    for (const path of ['/healthz', '/readyz', '/api/alerts'])
      expect((await api.call('GET', path)).status, path).to.equal(200)
    expect(api.logged.filter(({ level }) => level === 'error')).to.deep.equal([])
    expect((await api.stores.audit.verify()).broken).to.equal(null)
  })
})
