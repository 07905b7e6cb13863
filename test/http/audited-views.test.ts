import { expect } from 'chai'
import { routes } from '../../server/http/routing/routes.ts'
import { startApi, type Api } from './support/api.ts'

describe('views of credentials and exports', () => {
  let api: Api
  beforeEach(async () => {
    api = await startApi()
    const settings = { base_url: 'https://tower.example', api_token: 'canary-secret' }
    const body = { organization_code: 'acme', name: 'North tower', plugin: 'tower', settings }
    await api.call('POST', '/api/connections', { body })
  })
  afterEach(() => api.close())

  const recorded = async (action: string) =>
    (await api.stores.audit.list('all', { action: action as never }, { limit: 50 })).data

  it('are declared for every route that shows them', () => {
    const viewed = routes.filter(({ view }) => view !== undefined)
    expect(viewed.map(({ method, path, view }) => `${method} ${path} ${view}`)).to.have.members([
      'GET /keys keys.viewed',
      'GET /keys/{key} keys.viewed',
      'GET /accounts accounts.viewed',
      'GET /accounts/{account} accounts.viewed',
      'GET /connections connections.viewed',
      'GET /connections/{connection} connections.viewed',
    ])
  })

  for (const [paths, action] of [
    [['/keys', '/keys?limit=1'], 'keys.viewed'],
    [['/accounts', '/accounts?limit=1'], 'accounts.viewed'],
    [['/connections', '/connections/North%20tower'], 'connections.viewed'],
  ] as const) {
    it(`are recorded at most once an hour per key: ${action}`, async () => {
      const scoped = await api.newKey('admin', ['acme'])
      for (let n = 0; n < 5; n++)
        for (const path of paths) expect((await api.call('GET', `/api${path}`)).status).to.equal(200)
      for (const path of paths) await api.call('GET', `/api${path}`, { key: scoped })
      const [ofScoped, ofAdmin, ...others] = await recorded(action)
      expect(others).to.deep.equal([])
      expect([ofAdmin?.actor.id, ofScoped?.actor.id]).to.deep.equal(
        [api.adminKey, scoped].map((key) => key.split('_')[1]),
      )
      expect([ofAdmin?.organization_code, ofScoped?.organization_code]).to.deep.equal([null, 'acme'])
      api.clock.time += 3_600_000
      await api.call('GET', `/api${paths[0]}`)
      expect(await recorded(action)).to.have.length(3)
    })
  }

  it('are not recorded if they are refused', async () => {
    const reader = await api.newKey('reader')
    expect((await api.call('GET', '/api/keys', { key: reader })).status).to.equal(403)
    expect((await api.call('GET', '/api/connections/none')).status).to.equal(404)
    for (const action of ['keys.viewed', 'connections.viewed'])
      expect(await recorded(action), action).to.deep.equal([])
  })

  it('of cases are recorded each time, with actor and format', async () => {
    const alert = { alert_provider: 'SIEM', organization_code: 'acme', alert_type: 't', alert_content: 'x' }
    await api.call('POST', '/api/alerts', { body: alert })
    const run = await api.stores.runs.queue({
      organizationUuid: api.organizations['acme'] ?? '',
      playbookName: 'p',
      playbookHash: 'h',
      alertUuid: api.submitted[0]!.uuid,
    })
    await api.stores.runs.start(run.uuid, { title: 'A case' })
    const [found] = (await api.call('GET', '/api/cases')).json.data
    for (const format of ['json', 'markdown'])
      expect((await api.call('GET', `/api/cases/${found.case_id}/export?format=${format}`)).status).to.equal(
        200,
      )
    const entries = await recorded('case.exported')
    expect(
      entries.map(({ subject, details, organization_code, actor }) => [
        subject.id,
        details['format'],
        organization_code,
        actor.id,
      ]),
    ).to.deep.equal(
      ['markdown', 'json'].map((format) => [found.case_id, format, 'acme', api.adminKey.split('_')[1]]),
    )
  })
})
