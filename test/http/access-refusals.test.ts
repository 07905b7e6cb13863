import { expect } from 'chai'
import type { LogFields } from '../../core/ports/log.ts'
import { eventually } from '../support/eventually.ts'
import { startApi, type Api } from './support/api.ts'

describe('access refusals', () => {
  let api: Api
  let alertId: string
  beforeEach(async () => {
    api = await startApi()
    const body = {
      alert_provider: 'SIEM',
      organization_code: 'acme',
      alert_type: 't',
      alert_content: 'canary-content',
    }
    alertId = (await api.call('POST', '/api/alerts', { body })).json.alert_id
  })
  afterEach(() => api.close())

  const refusals = () => api.logged.filter(({ message }) => message.startsWith('access refused'))
  /** The log of one request. */
  async function logged(
    method: string,
    path: string,
    options: Parameters<Api['call']>[2],
  ): Promise<LogFields> {
    const before = refusals().length
    const reply = await api.call(method, path, options)
    const line = await eventually('a line of the log', () => refusals()[before])
    expect(line.level).to.equal('info')
    expect(line.fields).to.include({ request_id: reply.headers.get('x-request-id'), status: reply.status })
    return line.fields
  }
  const idOf = (key: string) => key.split('_')[1]

  it('are logged at info level with actor, action, object and reason', async () => {
    const reader = await api.newKey('reader')
    expect(await logged('POST', '/api/alerts', { key: reader, body: {} })).to.include({
      actor_kind: 'api_key',
      actor: idOf(reader),
      address: '127.0.0.1',
      action: 'POST /alerts',
      code: 'role_insufficient',
    })
    expect(await logged('DELETE', `/api/keys/${idOf(reader)}`, { key: reader })).to.include({
      action: 'DELETE /keys/{key}',
      object: idOf(reader),
    })
    const strangers = { actor_kind: 'stranger', actor: '127.0.0.1' }
    expect(await logged('GET', '/api/alerts', { key: null })).to.include({
      ...strangers,
      code: 'key_missing',
    })
    expect(await logged('GET', `/api/alerts/${alertId}`, { key: 'toc_canary' })).to.include({
      ...strangers,
      code: 'key_invalid',
      object: alertId,
    })
    const signIn = { key: null, body: { api_key: 'toc_canary' } }
    expect(await logged('POST', '/api/session', signIn)).to.include({
      action: 'POST /session',
      code: 'key_invalid',
    })
    const crossSite = { headers: { 'sec-fetch-site': 'cross-site' } }
    expect(await logged('GET', '/api/runs', crossSite)).to.include({ code: 'cross_site_request' })
    const scoped = await api.newKey('admin', ['acme'])
    const body = { name: 'x', role: 'reader' }
    expect(await logged('POST', '/api/keys', { key: scoped, body })).to.include({ code: 'key_is_scoped' })
    expect(JSON.stringify(api.logged)).to.not.contain('canary')
  })

  it('distinguish objects of other organizations from missing objects', async () => {
    const globex = await api.newKey('admin', ['globex'])
    const settings = { base_url: 'https://tower.example', api_token: 'canary-secret' }
    const body = { organization_code: 'acme', name: 'North tower', plugin: 'tower', settings }
    const { connection_uuid } = (await api.call('POST', '/api/connections', { body })).json
    const acme = idOf(await api.newKey('reader', ['acme']))
    const { uuid: alertUuid } = api.submitted[0]!
    const run = await api.stores.runs.queue({
      organizationUuid: api.organizations['acme'] ?? '',
      playbookName: 'p',
      playbookHash: 'h',
      alertUuid,
    })
    await api.stores.runs.start(run.uuid, { title: 'A case' })
    const { caseId } = (await api.stores.alerts.find('all', alertId))!
    const hidden = { key: globex }
    const reason = 'belongs to another organization'
    for (const [path, object] of [
      [`/alerts/${alertId}`, alertId],
      [`/cases/${caseId}`, caseId],
      [`/runs/${run.uuid}`, run.uuid],
      [`/runs/${run.uuid.toUpperCase()}/steps`, run.uuid.toUpperCase()],
      [`/connections/${connection_uuid}`, connection_uuid],
      [`/keys/${acme}`, acme],
      ['/alerts?organization=ACME', 'ACME'],
    ] as const)
      expect(await logged('GET', `/api${path}`, hidden), path).to.include({
        actor: idOf(globex),
        reason,
        object,
      })
    const another = await api.newKey('admin', ['globex'])
    expect(await logged('GET', '/api/connections/north%20tower', { key: another })).to.include({ reason })
    const post = { alert_provider: 'SIEM', organization_code: 'acme', alert_type: 't', alert_content: 'x' }
    expect(await logged('POST', '/api/alerts', { ...hidden, body: post })).to.include({
      reason,
      object: 'acme',
    })

    const before = refusals().length
    await api.call('GET', '/api/alerts/acme-siem-999', hidden)
    await api.call('GET', '/api/alerts?organization=nowhere', hidden)
    await api.call('GET', `/api/runs/${run.uuid.replace(/.$/, 'x')}`, hidden)
    await api.call('GET', '/api/alerts/acme-siem-999')
    await logged('GET', '/api/engine', { key: null })
    expect(refusals().slice(before), 'nothing of what is nowhere').to.have.length(1)
  })

  it('are logged once per kind, for at most 100 kinds', async () => {
    const reader = await api.newKey('reader')
    for (let n = 0; n < 20; n++) await api.call('POST', '/api/alerts', { key: reader, body: {} })
    await logged('GET', '/api/engine', { key: null })
    expect(refusals()).to.have.length(2)
  })
})
