import { expect } from 'chai'
import { startApi, type Api } from './support/api.ts'
import { expectProblem } from './support/schemas.ts'
import { thingsOf } from './support/things.ts'

describe('numbers over HTTP', () => {
  let api: Api
  let foreign: string

  before(async () => {
    api = await startApi()
    foreign = await api.newKey('reader', ['globex'])
    const things = thingsOf(api, 'acme')
    for (const make of [things.case, things.failedRun, things.containment]) await make()
    for (let n = 0; n < 25; n++) {
      const alert_type = n === 0 ? '=1+1' : `type ${n}`
      const body = { alert_content: 'x', alert_provider: 'SIEM', organization_code: 'acme', alert_type }
      await api.call('POST', '/api/alerts', { body })
    }
  })
  after(() => api.close())
  const get = async (path: string, options: object = {}) =>
    await api.call('GET', `/api/numbers/${path}`, options)

  it('join the rarest names, so that senders cannot make the answer large', async () => {
    const { json } = await get('alerts')
    const names = json.data.map(({ name }: { readonly name: string }) => name)
    expect(names).to.have.length(21)
    expect(names).to.include('(other)')
    const sum = json.data.reduce((all: number, { alerts }: { readonly alerts: number }) => all + alerts, 0)
    expect(sum).to.equal(28)
  })

  it('are CSV on request, by parameter or by Accept', async () => {
    const { text, headers } = await get('rules?format=csv')
    expect(headers.get('content-type')).to.equal('text/csv; charset=utf-8')
    const lines = text.split('\r\n')
    expect(lines[0]).to.equal('provider,type,alerts,repeats,saved_percent')
    expect(lines).to.include(`SIEM,'=1+1,1,0,0`)
    const accepted = await get('failures', { headers: { accept: 'text/csv' } })
    expect(accepted.text).to.equal('cause,playbook,runs\r\nbroken,p,1\r\n')
  })

  it('are those of the organizations of the key', async () => {
    for (const table of ['alerts', 'runs', 'failures', 'times', 'questions', 'containments', 'rules']) {
      const { json } = await get(table, { key: foreign })
      expect(json.data, table).to.deep.equal([])
    }
    expect((await get('containments')).json.data).to.have.length(1)
    expectProblem(await get('runs?organization=acme', { key: foreign }), 400, 'unknown_organization')
  })

  it('refuse ranges that end before they begin or are very long', async () => {
    for (const query of ['from=2&to=1', 'from=5&to=5', 'from=0']) {
      const reply = await get(`alerts?${query}`)
      expectProblem(reply, 400, 'value_invalid')
      expect(reply.json.errors[0].pointer).to.equal('/from')
    }
    expectProblem(await get('alerts?from=yesterday'), 400, 'query_invalid')
  })
})
