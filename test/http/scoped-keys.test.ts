import { expect } from 'chai'
import { startApi, type Api } from './support/api.ts'
import { expectProblem } from './support/schemas.ts'

describe('a key limited to organizations', () => {
  let api: Api
  let key: string
  before(async () => {
    api = await startApi()
    key = await api.newKey('admin', ['globex'])
  })
  after(() => api.close())

  it('cannot filter by other organizations', async () => {
    expectProblem(
      await api.call('GET', '/api/alerts?organization=acme', { key }),
      400,
      'unknown_organization',
    )
  })

  it('cannot create or see keys with a wider scope', async () => {
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

  it('cannot revoke a key with a wider scope', async () => {
    const all = await api.stores.keys.list()
    for (const { id, organizationUuids } of all) {
      if (organizationUuids?.[0] === api.organizations['globex']) continue
      expectProblem(await api.call('DELETE', `/api/keys/${id}`, { key }), 404, 'key_not_found')
    }
    expect((await api.stores.keys.list()).every(({ revokedAt }) => revokedAt === null)).to.equal(true)
  })
})
