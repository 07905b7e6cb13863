import { expect } from 'chai'
import {
  allPermissions,
  builtInRoles,
  peopleRoles,
  permissionsOf,
  type AccessPermission,
} from '../../core/access/permissions.ts'
import type { Question } from '../../core/domain/checkpoint.ts'
import { approvalPath } from '../../core/engine/journal/paths.ts'
import { requireApprover } from '../../core/engine/turns/approved-by-another.ts'
import { permissionFor, rolesWithPermission } from '../../server/http/caller/caller.ts'
import { routes } from '../../server/http/routing/routes.ts'
import { startApi, type Api } from './support/api.ts'
import { readBlocks } from '../support/guide-page.ts'
import { somebody } from '../support/somebody.ts'
import { readCurl, type CurlRequest } from './support/curl.ts'
import { newPerson } from './support/people.ts'
import { expectProblem } from './support/schemas.ts'
import { thingsOf } from './support/things.ts'

describe('an approval', () => {
  it('needs its permission in the organization; a refusal and other questions do not', () => {
    const approval = { path: approvalPath('a'), organizationUuid: 'acme', question: {} as Question }
    const answer = (
      permissions: readonly AccessPermission[],
      scope: 'all' | string[],
      value: unknown,
      path?: string,
    ) => {
      const grants = [{ role: 'x', permissions, scope }]
      const asked = [{ ...approval, ...(path !== undefined && { path }) }]
      const approvingRoles = rolesWithPermission({ grants }, 'approvals:write')
      return () => requireApprover(asked, { by: somebody(), value, approvingRoles }, 0)
    }
    const both = ['questions:write', 'approvals:write'] as const
    expect(answer(both, 'all', 'approve')).not.to.throw()
    expect(answer(both, ['acme'], 'approve_rest')).not.to.throw()
    expect(answer(['questions:write'], 'all', 'refuse')).not.to.throw()
    expect(answer(['questions:write'], 'all', 'approve', 'a')).not.to.throw()
    for (const value of ['approve', 'approve_rest']) {
      expect(answer(['questions:write'], 'all', value)).to.throw(/approvals:write/)
      expect(answer(both, ['globex'], value)).to.throw(/approvals:write/)
    }
  })
})

describe('roles', () => {
  let api: Api

  beforeEach(async () => {
    api = await startApi()
  })
  afterEach(() => api.close())

  const create = (body: object, key = api.adminKey) => api.call('POST', '/api/roles', { body, key })
  const triage = { name: 'triage', description: 'Looks at cases', permissions: ['cases:read', 'cases:write'] }

  it('are lists of permissions; every permission is needed by a route or an approval', async () => {
    const needed = new Set(routes.flatMap(({ access }) => permissionFor(access) ?? []))
    expect(allPermissions.filter((permission) => !needed.has(permission))).to.deep.equal(['approvals:write'])
    const { json } = await api.call('GET', '/api/roles')
    expect(json.data.map(({ name }: { name: string }) => name)).to.deep.equal(Object.keys(builtInRoles))
    expect(json.permissions).to.have.length(allPermissions.length)
  })

  it('separate writing playbooks, approving, and managing connections', () => {
    const may = (role: string, permission: AccessPermission) => permissionsOf(role, []).includes(permission)
    const separate = ['playbooks:write', 'approvals:write', 'connections:write'] as const
    const held = peopleRoles.map(
      (role) => [role, separate.filter((permission) => may(role, permission))] as const,
    )
    expect(Object.fromEntries(held)).to.deep.equal({
      reader: [],
      analyst: ['approvals:write'],
      responder: ['approvals:write'],
      author: ['playbooks:write'],
      connection_admin: ['connections:write'],
      admin: ['playbooks:write', 'approvals:write', 'connections:write'],
    })
  })

  it('allow people every route of their permissions, and refuse every other one', async () => {
    for (const role of peopleRoles) {
      const person = await newPerson(api, role, [role])
      for (const { method, path, access, outsidePrefix, textType } of routes) {
        const permission = permissionFor(access)
        if (permission === undefined || textType === 'text/event-stream') continue
        const place = `${outsidePrefix === true ? '' : '/api'}${path.replaceAll(/\{\w+\}/g, 'x')}`
        const { json, status } = await person.call(method, place)
        const isRefused = status === 403 && json?.code === 'role_insufficient'
        expect(isRefused, `${role} ${method} ${path}`).to.equal(!permissionsOf(role, []).includes(permission))
      }
    }
  }).timeout(60_000)

  it('give API keys the same permissions as people', async () => {
    for (const role of peopleRoles) {
      const key = await api.newKey(role, ['acme'])
      const { json } = await api.call('GET', '/api/session', { key })
      const held = json.permissions.map(({ permission }: { permission: string }) => permission)
      expect(held, role).to.have.members([...permissionsOf(role, [])])
      expect(json.role).to.equal(role)
    }
  })

  it('let a key of an author publish playbooks of its organization, and nothing else', async () => {
    const key = await api.newKey('author', ['acme'])
    const source = (more: string) =>
      `apiVersion: tocsin/v1\nname: from-ci\n${more}on: { manual: true }\nsteps:\n  - return: hello\n`
    const push = (text: string) =>
      api.call('POST', '/api/playbook-set', { body: { playbooks: [{ source: text }] }, key })
    const { status, text } = await push(source('organization: acme\n'))
    expect(status, text).to.equal(200)
    expect((await push(source(''))).status).to.be.oneOf([403, 422])
    for (const [method, path] of [
      ['POST', '/keys'],
      ['POST', '/connections'],
      ['POST', '/cases/bulk'],
    ] as const)
      expectProblem(await api.call(method, `/api${path}`, { body: {}, key }), 403, 'role_insufficient')
  })

  it('can be defined, given, changed for everyone who has them, and removed when nobody does', async () => {
    expect((await create(triage)).status).to.equal(201)
    expectProblem(await create({ ...triage, name: 'TRIAGE' }), 409, 'role_exists')
    expectProblem(await create({ ...triage, name: 'admin' }), 409, 'role_exists')
    expectProblem(await create({ ...triage, name: 'x', permissions: ['cases:fly'] }), 400, 'value_invalid')
    const anna = await newPerson(api, 'Anna', ['triage', 'acme'])
    const { case: [id] = [] } = await thingsOf(api, 'acme').case()
    const note = () => anna.call('POST', `/api/cases/${id}/notes`, { body: { text: 'x' } })
    expect((await note()).status).to.equal(201)
    expectProblem(await anna.call('GET', '/api/runs'), 403, 'role_insufficient')
    const headers = { 'if-match': '*' }
    const change = { body: { permissions: ['cases:read', 'runs:read'] }, headers }
    expect((await api.call('PATCH', '/api/roles/triage', change)).json.revision).to.equal(2)
    expectProblem(await note(), 403, 'role_insufficient')
    expect((await anna.call('GET', '/api/runs')).status).to.equal(200)
    expectProblem(await api.call('DELETE', '/api/roles/triage'), 409, 'role_in_use')
    const roles = [{ role: 'reader', organization_code: null }]
    await api.call('PATCH', `/api/accounts/${anna.uuid}`, { body: { roles }, headers })
    expect((await api.call('DELETE', '/api/roles/triage')).status).to.equal(200)
    expectProblem(await api.call('DELETE', '/api/roles/reader'), 404, 'role_not_found')
  })

  it('show the steps of runs in reports of shadows and backtests only to those who may read runs', async () => {
    const permissions = ['playbooks:read', 'playbooks:test']
    await create({ name: 'librarian', description: 'Reads playbooks', permissions })
    const person = await newPerson(api, 'Lia', ['librarian'])
    const report = '/api/playbooks/x/shadow'
    for (const path of [report, `${report}/alerts`, `${report}/alerts/acme-x-1`, '/api/backtests/x'])
      expectProblem(await person.call('GET', path), 403, 'role_insufficient')
    expectProblem(await person.call('GET', '/api/playbooks/x/backtests'), 403, 'role_insufficient')
  })

  it('show related cases only to those who may read cases', async () => {
    await create({ name: 'alert_desk', description: 'Sees alerts', permissions: ['alerts:read'] })
    const person = await newPerson(api, 'Alice', ['alert_desk'])
    const { case: [id] = [] } = await thingsOf(api, 'acme').case()
    expectProblem(await person.call('GET', `/api/cases/${id}/related`), 403, 'role_insufficient')
  })

  it('of one organization are given in that one only', async () => {
    await create({ ...triage, organization_code: 'acme' })
    const invite = (organization_code: string | null) =>
      api.call('POST', '/api/accounts', {
        body: {
          email: `${organization_code}@example.com`,
          name: 'B',
          roles: [{ role: 'triage', organization_code }],
        },
      })
    expect((await invite('acme')).status).to.equal(201)
    for (const reply of [await invite('globex'), await invite(null)]) {
      expectProblem(reply, 400, 'value_invalid')
      expect(reply.json.detail).to.match(/must be one of reader, .*, admin$/)
    }
  })

  it('of one organization give nothing in others, even to people who had the name before', async () => {
    // TOCSIN_OIDC_ROLES can give a role that nobody has defined yet.
    const early = await newPerson(api, 'Early', ['triage'])
    const own = await newPerson(api, 'Own', ['triage', 'acme'])
    const scoped = await api.newKey('admin', ['acme'])
    const made = await api.call('POST', '/api/roles', {
      body: { ...triage, organization_code: 'acme' },
      key: scoped,
    })
    expect(made.status, made.text).to.equal(201)
    expectProblem(await early.call('GET', '/api/cases'), 403, 'role_insufficient')
    expect((await own.call('GET', '/api/cases')).status).to.equal(200)
  })

  it('are given and defined as docs/how-to/people-and-roles.md shows', async () => {
    await api.stores.organizations.create({ code: 'main', name: 'Main' }, somebody())
    const page = readBlocks('docs/how-to/people-and-roles.md').filter(({ kind }) => kind === 'sh')
    expect(page).to.have.length(2)
    for (const { text } of page) {
      const [{ method, url, body }] = readCurl(text, { TOCSIN_URL: api.url, TOCSIN_KEY: api.adminKey }) as [
        CurlRequest,
      ]
      const reply = await api.call(method, url.slice(api.url.length), { body })
      expect(reply.status, reply.text).to.equal(201)
    }
    expect(await api.stores.accounts.byEmail('bo@example.com')).to.not.equal(undefined)
    expect((await api.stores.roles.list()).map(({ name }) => name)).to.deep.equal(['case_desk'])
  })

  it('never give more than their giver has', async () => {
    const permissions = ['people:read', 'people:write', 'keys:read', 'keys:write', 'cases:read']
    await create({ name: 'manager', description: 'x', permissions })
    const manager = await newPerson(api, 'Mallory', ['manager'])
    const admin = await newPerson(api, 'Root', ['admin'])
    const roles = [{ role: 'admin', organization_code: null }]
    const attempts = [
      manager.call('POST', '/api/accounts', { body: { email: 'm@example.com', name: 'M', roles } }),
      manager.call('PATCH', `/api/accounts/${manager.uuid}`, {
        body: { roles },
        headers: { 'if-match': '*' },
      }),
      manager.call('POST', `/api/accounts/${admin.uuid}/invitation`),
      manager.call('POST', `/api/accounts/${admin.uuid}/disable`),
      manager.call('POST', '/api/keys', { body: { name: 'k', role: 'reader' } }),
      manager.call('POST', '/api/roles', { body: { ...triage } }),
      manager.call('PATCH', '/api/roles/manager', {
        body: { permissions: [...permissions, 'audit:read'] },
        headers: { 'if-match': '*' },
      }),
    ]
    for (const reply of await Promise.all(attempts)) expectProblem(reply, 403, 'permission_exceeded')
    const own = [{ role: 'manager', organization_code: 'acme' }]
    const allowed = await manager.call('POST', '/api/accounts', {
      body: { email: 'n@x', name: 'N', roles: own },
    })
    expect(allowed.status, allowed.text).to.equal(201)
  })
})
