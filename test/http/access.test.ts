import { expect } from 'chai'
import { roles, type Role } from '../../core/domain/api-key.ts'
import { routes } from '../../server/http/routes.ts'
import { startApi, type Api } from './support/api.ts'
import { expectProblem } from './support/schemas.ts'
import { somebody } from '../support/somebody.ts'

/** Who may do what, said a second time on purpose: a route that is not here fails, and so does a changed one. */
const table: Readonly<Record<string, readonly Role[] | 'public' | 'sign_in' | 'events_token'>> = {
  'POST /alerts': ['intake', 'analyst', 'admin'],
  'GET /alerts': ['reader', 'analyst', 'admin'],
  'GET /alerts/{alert}': ['reader', 'analyst', 'admin'],
  'POST /alerts/{alert}/investigate': ['analyst', 'admin'],
  'GET /cases': ['reader', 'analyst', 'admin'],
  'GET /cases/{case}': ['reader', 'analyst', 'admin'],
  'GET /cases/{case}/timeline': ['reader', 'analyst', 'admin'],
  'GET /runs': ['reader', 'analyst', 'admin'],
  'GET /runs/{run}': ['reader', 'analyst', 'admin'],
  'POST /runs/{run}/cancel': ['analyst', 'admin'],
  'POST /runs/{run}/resolve': ['analyst', 'admin'],
  'GET /runs/{run}/retry': ['analyst', 'admin'],
  'POST /runs/{run}/retry': ['analyst', 'admin'],
  'POST /runs/retry': ['analyst', 'admin'],
  'POST /runs/retry/preview': ['analyst', 'admin'],
  'GET /checkpoints': ['analyst', 'admin'],
  'GET /checkpoints/{checkpoint}': ['analyst', 'admin'],
  'POST /checkpoints/{checkpoint}/answer': ['analyst', 'admin'],
  'POST /playbooks/{playbook}/runs': ['analyst', 'admin'],
  'GET /playbooks': ['reader', 'analyst', 'admin'],
  'GET /playbooks/{playbook}': ['reader', 'analyst', 'admin'],
  'GET /skills': ['reader', 'analyst', 'admin'],
  'GET /plugins': ['reader', 'analyst', 'admin'],
  'GET /organizations': ['intake', 'reader', 'analyst', 'admin'],
  'POST /organizations': ['admin'],
  'GET /providers': ['intake', 'reader', 'analyst', 'admin'],
  'POST /providers': ['admin'],
  'GET /keys': ['admin'],
  'POST /keys': ['admin'],
  'DELETE /keys/{key}': ['admin'],
  'POST /session': 'sign_in',
  'GET /session': ['intake', 'reader', 'analyst', 'admin'],
  'DELETE /session': ['intake', 'reader', 'analyst', 'admin'],
  'GET /connections': ['reader', 'analyst', 'admin'],
  'GET /connections/{connection}': ['reader', 'analyst', 'admin'],
  'GET /connections/{connection}/manifest': ['admin'],
  'POST /connections': ['admin'],
  'POST /connections/{connection}/authenticate': ['admin'],
  'POST /connections/{connection}/rotate-token': ['admin'],
  'PATCH /connections/{connection}': ['admin'],
  'DELETE /connections/{connection}': ['admin'],
  'POST /webhooks/{plugin}/v1/{route}': 'events_token',
  'GET /audit': ['admin'],
  'GET /engine': ['reader', 'analyst', 'admin'],
  'POST /engine/pause': ['admin'],
  'POST /engine/resume': ['admin'],
  'GET /openapi.json': 'public',
  'GET /healthz': 'public',
  'GET /readyz': 'public',
  'GET /metrics': ['reader', 'analyst', 'admin'],
}

/** Of the prefix. */
const outside = new Set(['/healthz', '/readyz', '/metrics'])

describe('access', () => {
  let api: Api
  const keys: Partial<Record<Role, string>> = {}

  before(async () => {
    api = await startApi()
    for (const role of roles) keys[role] = await api.newKey(role)
  })
  after(() => api.close())

  it('is decided for every route, here as well', () => {
    expect(routes.map(({ method, path }) => `${method} ${path}`)).to.have.members(Object.keys(table))
  })

  for (const [operation, allowed] of Object.entries(table)) {
    const [method = '', template = ''] = operation.split(' ')
    const path = `${outside.has(template) ? '' : '/api'}${template.replaceAll(/\{\w+\}/g, 'x')}`
    // An empty body shows that the key was let through: the body is read after the key was checked.
    const call = (key: string | null) =>
      api.call(method, path, {
        key,
        ...((method === 'POST' || method === 'PATCH') && { headers: { 'content-type': 'application/json' } }),
      })

    if (allowed === 'public') {
      it(`${operation}: everybody`, async () => {
        expect((await call(null)).status).to.equal(200)
      })
      continue
    }
    if (allowed === 'sign_in') {
      it(`${operation}: nobody with a key that is sent as ever, and nobody from another web site`, async () => {
        for (const key of [null, ...Object.values(keys)]) expectProblem(await call(key), 400, 'body_missing')
        const headers = { 'sec-fetch-site': 'cross-site' }
        expectProblem(await api.call(method, path, { key: null, headers }), 403, 'cross_site_request')
      })
      continue
    }
    if (allowed === 'events_token') {
      it(`${operation}: nobody without its token, whatever their key`, async () => {
        for (const key of [null, ...Object.values(keys)])
          expectProblem(await call(key), 401, 'webhook_refused')
      })
      continue
    }
    it(`${operation}: nobody without a key`, async () => {
      expectProblem(await call(null), 401, 'key_missing')
    })
    for (const role of roles) {
      it(`${operation}: ${role} ${allowed.includes(role) ? 'may' : 'may not'}`, async () => {
        const reply = await call(keys[role] ?? '')
        if (allowed.includes(role)) expect(reply.status, reply.text).to.be.oneOf([200, 400, 404])
        else expectProblem(reply, 403, 'role_insufficient')
      })
    }
  }

  describe('to what belongs to another organization', () => {
    let key: string
    let ids: { alert: string; uuid: string; case: string; run: string }
    const playbook = { name: 'investigate-merger-acme', hash: 'c'.repeat(64), source: 'type: merger' }

    before(async () => {
      key = await api.newKey('admin', ['globex'])
      const body = { alert_content: 'x', alert_provider: 'SIEM', organization_code: 'acme', alert_type: 't' }
      const { json: alert } = await api.call('POST', '/api/alerts', { body })
      const run = await api.stores.runs.queue({
        organizationUuid: api.organizations['acme'] ?? '',
        playbookName: 'p',
        playbookHash: 'h',
        alertUuid: alert.alert_uuid,
      })
      const caseId = (await api.stores.runs.start(run.uuid, { title: 'A case' }))?.caseId
      const organizationUuid = api.organizations['acme'] ?? ''
      await api.stores.playbooks.put({ ...playbook, origin: 'made', organizationUuid }, somebody())
      ids = { alert: alert.alert_id, uuid: alert.alert_uuid, case: caseId ?? '', run: run.uuid }
      const settings = { base_url: 'https://tower.example', api_token: 's' }
      const connection = { organization_code: 'acme', name: 'north', plugin: 'tower', settings }
      expect((await api.call('POST', '/api/connections', { body: connection })).status).to.equal(201)
    })

    it('answers 404 for its ids', async () => {
      for (const path of [
        `alerts/${ids.alert}`,
        `alerts/${ids.uuid}`,
        `cases/${ids.case}`,
        `runs/${ids.run}`,
        `playbooks/${playbook.name}`,
        `playbooks/${playbook.hash}`,
      ]) {
        expect((await api.call('GET', `/api/${path}`)).status, path).to.equal(200)
        const foreign = await api.call('GET', `/api/${path}`, { key })
        expect(foreign.status, path).to.equal(404)
        expect(foreign.text).to.not.include('acme')
      }
    })

    it('leaves it out of lists', async () => {
      for (const list of ['alerts', 'cases', 'runs', 'connections', 'playbooks']) {
        expect((await api.call('GET', `/api/${list}`)).json.total, list).to.equal(1)
        expect((await api.call('GET', `/api/${list}`, { key })).json, list).to.include({ total: 0 })
      }
      const filtered = [`alerts?case=${ids.case}`, `runs?alert=${ids.alert}`]
      for (const list of filtered)
        expect((await api.call('GET', `/api/${list}`, { key })).json.total).to.equal(0)
      const { json } = await api.call('GET', '/api/organizations', { key })
      expect(json.data.map(({ code }: { code: string }) => code)).to.deep.equal(['globex'])
    })

    it('refuses it as a filter and as the place of something new', async () => {
      expectProblem(
        await api.call('GET', '/api/alerts?organization=acme', { key }),
        400,
        'unknown_organization',
      )
      const alert = { alert_content: 'x', alert_provider: 'SIEM', organization_code: 'acme' }
      expectProblem(await api.call('POST', '/api/alerts', { key, body: alert }), 400, 'unknown_organization')
      const connection = { organization_code: 'acme', name: 'n', plugin: 'tower', settings: {} }
      expectProblem(
        await api.call('POST', '/api/connections', { key, body: connection }),
        400,
        'unknown_organization',
      )
    })

    it('gives no key that reaches further than its maker, and shows none', async () => {
      const make = (body: object) =>
        api.call('POST', '/api/keys', { key, body: { name: 'k', role: 'reader', ...body } })
      expectProblem(await make({}), 403, 'key_is_scoped')
      expectProblem(await make({ organization_codes: null }), 403, 'key_is_scoped')
      expectProblem(await make({ organization_codes: ['globex', 'acme'] }), 400, 'unknown_organization')
      expect((await make({ organization_codes: ['globex'] })).status).to.equal(201)
      const { json } = await api.call('GET', '/api/keys', { key })
      const scopes = json.data.map((row: { organization_codes: string[] }) => row.organization_codes)
      expect(scopes).to.deep.equal([['globex'], ['globex']])
    })

    it('revokes no key that reaches further', async () => {
      const all = await api.stores.keys.list()
      for (const { id, organizationUuids } of all) {
        if (organizationUuids?.[0] === api.organizations['globex']) continue
        expectProblem(await api.call('DELETE', `/api/keys/${id}`, { key }), 404, 'key_not_found')
      }
      expect((await api.stores.keys.list()).every(({ revokedAt }) => revokedAt === null)).to.equal(true)
    })

    it('changes nothing that all organizations share', async () => {
      const body = { code: 'new', name: 'New' }
      expectProblem(await api.call('POST', '/api/organizations', { key, body }), 403, 'key_is_scoped')
      expectProblem(await api.call('POST', '/api/providers', { key, body }), 403, 'key_is_scoped')
    })
  })
})
