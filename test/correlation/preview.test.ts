import { expect } from 'chai'
import { previewCorrelation } from '../../core/correlation/preview.ts'
import { parsePlaybook } from '../../core/playbook/read/parse.ts'
import { startApi, type Api } from '../http/support/api.ts'
import { expectProblem } from '../http/support/schemas.ts'

const rule = (by: string, name = 'sign-ins', type = 'sign_in') =>
  `apiVersion: tocsin/v1\nname: ${name}\non: { alert: { type: ${type}, correlate: { by: { ${by} } } } }\nsteps: [{ return: 1 }]\n`

describe('POST /correlations/preview', () => {
  let api: Api
  let key: string

  before(async () => {
    api = await startApi()
    key = await api.newKey('analyst')
    for (const [organization_code, user, alert_type = 'sign_in'] of [
      ['acme', 'ana'],
      ['acme', 'Ana'],
      ['globex', 'ana'],
      ['acme', 'bob'],
      ['acme', 'unknown'],
      ['acme', null],
      ['acme', 'ana', 'malware'],
    ] as const) {
      api.clock.time += 1_000
      const alert_content = JSON.stringify({ user, secret: 'geheim' })
      const body = { alert_provider: 'SIEM', organization_code, alert_type, alert_content }
      await api.call('POST', '/api/alerts', { body })
    }
  })
  after(() => api.close())

  const preview = (body: object) => api.call('POST', '/api/correlations/preview', { key, body })

  it('applies a draft to past alerts of one organization', async () => {
    const { json, status } = await preview({
      organization_code: 'acme',
      source: rule('user: alert.data.?user'),
    })
    expect(status).to.equal(200)
    expect(json).to.include({ alerts: 5, applicable: 3, joined: 1, failures: 0, ended_at: null })
    expect(json.merges).to.have.length(1)
    expect(json.merges[0].reasons).to.deep.equal([
      { text: 'user (Ana) is the same as in an alert at most 1d earlier (rule of sign-ins)', count: 1 },
    ])
    expect(json.merges[0].samples.map((each: { alert_id: string }) => each.alert_id)).to.have.length(2)
    expect(json.skipped).to.deep.equal([
      { text: 'Not correlated by user: user (unknown) is too common to relate alerts.', count: 1 },
    ])
  })

  it('changes nothing', async () => {
    const { stores } = api
    const before = await stores.alerts.list('all', {}, { limit: 50 })
    await preview({ organization_code: 'acme', source: rule('user: alert.data.?user') })
    expect(await stores.alerts.list('all', {}, { limit: 50 })).to.deep.equal(before)
    expect((await stores.cases.list('all', {}, { limit: 5 })).total).to.equal(0)
    expect((await stores.playbooks.versions('all', 'sign-ins', { limit: 5 })).total).to.equal(0)
  })

  it('takes a time from which alerts count, and counts expressions that fail', async () => {
    const later = {
      organization_code: 'acme',
      created_after: api.clock.time + 1,
      source: rule('user: alert.data.user'),
    }
    expect((await preview(later)).json).to.include({ alerts: 0 })
    const failing = { organization_code: 'acme', source: rule('user: alert.data.user.lowerAscii()') }
    expect((await preview(failing)).json).to.include({ failures: 1 })
  })

  it('refuses a playbook with errors, such as a rule for everything, and a foreign organization', async () => {
    const refused = await preview({ organization_code: 'acme', source: rule('kind: alert.type') })
    expectProblem(refused, 422, 'playbook_invalid')
    expect(refused.text).to.contain('unrelated alerts would share a case')
    const scoped = await api.newKey('analyst', ['globex'])
    const foreign = await api.call('POST', '/api/correlations/preview', {
      key: scoped,
      body: { organization_code: 'acme' },
    })
    expect(foreign.status).to.be.oneOf([400, 404])
  })

  it('stops at a number of alerts, and when the caller is gone', async () => {
    const { stores } = api
    const [organization] = await stores.organizations.list([api.organizations['acme'] ?? ''])
    const { playbook } = parsePlaybook(rule('user: alert.data.?user'))
    const request = { since: 0, organization: organization!, playbooks: [playbook!] }
    const { signal } = new AbortController()
    const bounded = await previewCorrelation(stores.alerts, { ...request, signal, maxAlerts: 2 })
    expect(bounded).to.include({ alerts: 2 })
    expect(bounded.endedAt).to.be.a('number')
    const gone = previewCorrelation(stores.alerts, { ...request, signal: AbortSignal.abort() })
    expect(await gone.catch((error: Error) => error.name)).to.equal('AbortError')
  })
})
