import { expect } from 'chai'
import { valueAt } from 'tocsin/plugin'
import { loopbackEgress, type ServedSandbox } from 'tocsin/plugin/testing'
import { workstation } from './examples/machine.ts'
import sandbox, { settingsFor } from './sandbox.ts'
import { clients, tenantId, type Client } from './sandbox/data/clients.ts'
import { endpointFixture } from './sandbox/data/fixture.ts'
import { offlineHost } from './sandbox/data/machines.ts'
import type { Controls } from './sandbox/commands.ts'

describe('the sandbox of endpoint_security', () => {
  let running: ServedSandbox<Controls>
  beforeEach(async () => {
    running = await sandbox.start()
  })
  afterEach(() => running.close())

  async function send(
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    body?: string,
  ) {
    const signal = AbortSignal.timeout(30_000)
    const answer = await loopbackEgress.send({ method, url: running.url + path, headers, body, signal })
    return { status: answer.status, json: JSON.parse(answer.body) as unknown }
  }
  async function token(form: object = {}, type = 'application/x-www-form-urlencoded', tenant = tenantId) {
    const { client_id, client_secret, api_resource_url } = settingsFor(running.url, clients.full)
    const scope = `${api_resource_url}/.default`
    const fields = { client_id, client_secret, grant_type: 'client_credentials', scope, ...form }
    const body = new URLSearchParams(fields).toString()
    return await send('POST', `/login/${tenant}/oauth2/v2.0/token`, { 'content-type': type }, body)
  }
  async function ask(method: string, path: string, json?: object, client: Client = clients.full) {
    const { json: issued } = await token({ client_id: client.id, client_secret: client.secret })
    const headers = { authorization: `Bearer ${String(valueAt(issued, 'access_token'))}` }
    return await send(method, path, headers, json && JSON.stringify(json))
  }
  const codeOf = ({ status, json }: { status: number; json: unknown }) => [
    status,
    valueAt(valueAt(json, 'error'), 'code'),
  ]

  it('issues tokens with claims, as recorded', async () => {
    const { status, json } = await token()
    expect(status).to.equal(200)
    expect(Object.keys(json as object).toSorted()).to.deep.equal(
      Object.keys(endpointFixture('token-success') as object).toSorted(),
    )
    const [, claims] = String(valueAt(json, 'access_token')).split('.')
    expect(JSON.parse(Buffer.from(claims ?? '', 'base64url').toString()))
      .to.have.property('roles')
      .that.includes('Machine.Isolate')
  })

  it('refuses requests as recorded', async () => {
    const { status, json } = await token({ client_secret: 'wrong' })
    expect(status).to.equal(401)
    const fields = (value: unknown) => Object.keys(value as object).toSorted()
    expect(fields(json)).to.deep.equal(fields(endpointFixture('token-error-401-bad-secret')))
    expect(json).to.deep.include({ error: 'invalid_client', error_codes: [7000215] })
    expect(valueAt(json, 'error_description')).to.match(/^AADSTS7000215: .*\r\nTrace ID: /)
  })

  for (const [about, form, type, tenant, error] of [
    ['a body that is not a form', {}, 'application/json', tenantId, [400, 'invalid_request']],
    ['another grant', { grant_type: 'password' }, undefined, tenantId, [400, 'unsupported_grant_type']],
    ['another scope', { scope: 'x' }, undefined, tenantId, [400, 'invalid_scope']],
    ['another tenant', {}, undefined, 'common', [400, 'invalid_request']],
  ] as const) {
    it(`refuses a token for ${about}`, async () => {
      const { status, json } = await token(form, type, tenant)
      expect([status, valueAt(json, 'error')]).to.deep.equal(error)
    })
  }

  it('requires a token and a permission', async () => {
    expect(codeOf(await send('GET', '/api/alerts', {}))).to.deep.equal([401, 'Unauthorized'])
    const path = `/api/machines/${workstation.id}/isolate`
    expect(codeOf(await ask('POST', path, { Comment: 'x' }, clients.reader))).to.deep.equal([
      403,
      'Forbidden',
    ])
  })

  it('returns endless next links without $top and filter, as the vendor does', async () => {
    const path = "/api/alerts?$filter=severity eq 'High'&$skip=1000"
    const { json } = await ask('GET', encodeURI(path))
    expect(valueAt(json, 'value')).to.deep.equal([])
    expect(valueAt(json, '@odata.nextLink')).to.match(/\/api\/alerts\?\$skip=1002$/)
    expect((await ask('GET', '/api/alerts?$top=1')).json).to.not.have.property('@odata.nextLink')
  })

  it('limits the rate and says when to retry', async () => {
    const link = '/api/machineactions/none/getPackageUri'
    const statuses = []
    for (let times = 0; times < 3; times++) statuses.push((await ask('GET', link)).status)
    expect(statuses).to.deep.equal([404, 404, 429])
    expect((await ask('GET', '/api/alerts?$top=1')).status).to.equal(200)
  })

  it('omits evidence unless requested', async () => {
    const { json } = await ask('GET', '/api/alerts?$top=1')
    expect(valueAt((valueAt(json, 'value') as readonly unknown[])[0], 'evidence')).to.deep.equal([])
  })

  for (const query of [
    '$top=10001',
    '$top=x',
    '$orderby=id',
    "$filter=title eq 'x'",
    "$filter=severity eq 'High' or",
    "$filter=severity eq 'Hi'gh'",
    '$filter=severity like 1',
  ]) {
    it(`refuses ${query}`, async () => {
      expect(codeOf(await ask('GET', encodeURI(`/api/alerts?${query}`)))).to.deep.equal([400, 'ODataError'])
    })
  }

  it('moves an action from Pending to Succeeded while it is polled', async () => {
    const { status, json } = await ask('POST', `/api/machines/${workstation.id}/isolate`, { Comment: 'x' })
    expect(status).to.equal(201)
    const path = `/api/machineactions/${String(valueAt(json, 'id'))}`
    const seen = []
    for (let look = 0; look < 3; look++) seen.push(valueAt((await ask('GET', path)).json, 'status'))
    expect([valueAt(json, 'status'), ...seen]).to.deep.equal([
      'Pending',
      'InProgress',
      'Succeeded',
      'Succeeded',
    ])
    expect(codeOf(await ask('GET', '/api/machineactions/none'))).to.deep.equal([404, 'ResourceNotFound'])
  })

  it('refuses a second open action of a type, and keeps actions of offline machines pending', async () => {
    const isolate = () => ask('POST', `/api/machines/${offlineHost.id}/isolate`, { Comment: 'x' })
    const { json } = await isolate()
    expect(codeOf(await isolate())).to.deep.equal([400, 'ActiveRequestAlreadyExists'])
    const path = `/api/machineactions/${String(valueAt(json, 'id'))}`
    for (let look = 0; look < 3; look++)
      expect(valueAt((await ask('GET', path)).json, 'status')).to.equal('Pending')
  })

  it('queues a second isolation until the release', async () => {
    const post = async (path: string) => {
      const { json } = await ask('POST', `/api/machines/${workstation.id}/${path}`, { Comment: 'x' })
      return `/api/machineactions/${String(valueAt(json, 'id'))}`
    }
    const look = async (path: string) => valueAt((await ask('GET', path)).json, 'status')
    const first = await post('isolate')
    expect([await look(first), await look(first)]).to.deep.equal(['InProgress', 'Succeeded'])
    const second = await post('isolate')
    expect([await look(second), await look(second)]).to.deep.equal(['Pending', 'Pending'])
    const release = await post('unisolate')
    expect([await look(release), await look(release)]).to.deep.equal(['InProgress', 'Succeeded'])
    expect([await look(second), await look(second)]).to.deep.equal(['InProgress', 'Succeeded'])
  })

  it('offers a package once it is collected', async () => {
    const { json } = await ask('POST', `/api/machines/${workstation.id}/collectInvestigationPackage`, {
      Comment: 'x',
    })
    const path = `/api/machineactions/${String(valueAt(json, 'id'))}`
    expect((await ask('GET', `${path}/getPackageUri`)).status).to.equal(404)
    await ask('GET', path)
    await ask('GET', path)
    const { json: link } = await ask('GET', `${path}/getPackageUri`)
    expect(valueAt(link, 'value')).to.match(/^"https:.*"$/)
  })

  it('is case-sensitive in request bodies and answers as recorded', async () => {
    const machine = `/api/machines/${workstation.id}`
    const { json } = await ask('POST', `${machine}/isolate`, { comment: 'x' })
    expect(json).to.deep.equal(endpointFixture('error-400-invalid-request-body'))
    expect((await ask('POST', '/api/machines/none/isolate', { Comment: 'x' })).json).to.deep.equal(
      endpointFixture('error-404-machine-not-found'),
    )
    expect(
      codeOf(await ask('POST', `${machine}/runAntiVirusScan`, { Comment: 'x', ScanType: 'Deep' })),
    ).to.deep.equal([400, 'InvalidInput'])
    const live = `/API/machines/${workstation.id}/runliveresponse`
    expect(codeOf(await ask('POST', live, { Comment: 'x' }))).to.deep.equal([400, 'MissingRequiredParameter'])
  })
})
