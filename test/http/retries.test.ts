import { expect } from 'chai'
import type { Run } from '../../core/domain/run.ts'
import { parsePlaybook } from '../../core/playbook/read/parse.ts'
import { startApi, type Api } from './support/api.ts'
import { expectProblem } from './support/schemas.ts'

const playbook = parsePlaybook(`apiVersion: tocsin/v1
name: p
on: { manual: true }
inputs: { code: { type: string, sensitive: true } }
steps:
  - { id: first, set: { n: 1 } }
`).playbook!

describe('retries over the API', () => {
  let api: Api
  let stranger: string
  let run: Run

  before(async () => {
    api = await startApi()
    stranger = await api.newKey('analyst', ['globex'])
    api.playbooks.push(playbook)
  })
  after(() => api.close())
  beforeEach(async () => {
    const { json } = await api.call('POST', '/api/alerts', {
      body: { alert_content: 'x', alert_provider: 'SIEM', organization_code: 'acme', alert_type: 't' },
    })
    const { uuid } = await api.stores.runs.queue({
      organizationUuid: api.organizations['acme'] ?? '',
      playbookName: 'p',
      playbookHash: playbook.hash,
      alertUuid: json.alert_uuid,
      inputs: { code: 'swordfish' },
    })
    await api.stores.runs.start(uuid, { title: 'A case' })
    await api.stores.journal.begin(uuid, {
      path: 'first',
      stepId: 'first',
      kind: 'tower.ring_bell',
      input: { times: 3, say: 'the code is swordfish' },
      sensitive: { input: { fields: { say: true } } },
      attempt: 1,
      startedAt: 1,
    })
    const error = { code: 'broken', message: 'broken', details: { path: 'first' } }
    run = await api.stores.runs.end(uuid, { status: 'failed', output: null, error })
  })

  it('hide sensitive values in the preview', async () => {
    const { json, text } = await api.call('GET', `/api/runs/${run.uuid}/retry`)
    expect(json.repeats).to.deep.equal([
      {
        path: 'first',
        skill: 'tower.ring_bell',
        input: { times: 3, say: '[redacted]' },
        took_effect: 'may_have',
        reason: 'not_ended',
        repeat: 'never',
      },
    ])
    expect(text).not.to.include('swordfish')
  })

  it('of many runs have the same preview as of one, which changes nothing', async () => {
    const before = await api.stores.runs.list('all', {}, { limit: 1 })
    const bulk = (body: object) => api.call('POST', '/api/runs/retry/preview', { body })
    const {
      steps: _,
      steps_total: all,
      steps_carried: carried,
      ...one
    } = (await api.call('GET', `/api/runs/${run.uuid}/retry`)).json
    expect([all, carried, one.repeats_total]).to.deep.equal([1, 0, 1])
    expect(one.repeats).to.have.length(1)
    const { json, text } = await bulk({ runs: [run.uuid, 'unknown'] })
    expect(json.data[0]).to.deep.equal({ ...one, error: null })
    expect(json.data[1]).to.deep.include({ run_uuid: 'unknown', playbook: null, repeats: [] })
    expect(json.data[1].error.code).to.equal('run_not_found')
    expect(text).not.to.include('swordfish')
    const filtered = await bulk({ filter: { playbook: 'p', error: 'broken' } })
    expect(filtered.json.data[0]).to.deep.equal({ ...one, error: null })
    expect(filtered.json.left).to.equal(0)
    const byError = await bulk({ filter: { error: 'broken' } })
    expect(byError.json, 'of whichever playbook').to.deep.equal(filtered.json)
    expect((await bulk({ filter: { error: 'other' } })).json).to.deep.equal({ data: [], left: 0, next: null })
    expectProblem(await bulk({ filter: { organization: 'acme' } }), 400, 'value_invalid')
    expectProblem(await bulk({ filter: { created_after: 1 } }), 400, 'value_invalid')
    expectProblem(await bulk({}), 400, 'value_invalid')
    expect((await api.stores.runs.list('all', {}, { limit: 1 })).total).to.equal(before.total)

    expect(
      (await api.call('POST', '/api/runs/retry', { body: { runs: [run.uuid] } })).json.data[0].error,
    ).to.equal(null)
    expect((await bulk({ runs: [run.uuid] })).json.data[0].error.code).to.equal('run_superseded')
    expectProblem(await api.call('GET', `/api/runs/${run.uuid}/retry`), 409, 'run_superseded')
  })

  it('of all matching runs are done in several requests, each run once', async () => {
    const bulk = (body: object, path = '') => api.call('POST', `/api/runs/retry${path}`, { body })
    const { json: mine } = await api.call('GET', `/api/runs/${run.uuid}`)
    const filter = { case: mine.case_id, organization: 'acme' }
    const whole = (await bulk({ filter }, '/preview')).json
    expect(whole).to.deep.include({ left: 0, next: null })
    expect(whole.data.map(({ run_uuid: uuid }: { run_uuid: string }) => uuid)).to.deep.equal([run.uuid])
    const none = { data: [], left: 0, next: null }
    expect((await bulk({ filter, after: run.uuid }, '/preview')).json).to.deep.equal(none)
    expect((await bulk({ filter: { ...filter, organization: 'globex' } }, '/preview')).json).to.deep.equal(
      none,
    )
    expectProblem(await bulk({ filter, after: 'unknown' }), 404, 'run_not_found')
    expectProblem(await bulk({ runs: [run.uuid], after: run.uuid }), 400, 'value_invalid')
    expectProblem(await bulk({ filter: { ...filter, organization: 'nowhere' } }), 400, 'unknown_organization')
    expectProblem(await bulk({ filter: { observable: 'ip' } }), 400, 'value_invalid')
    expect((await bulk({ filter })).json.data[0]).to.deep.include({ run_uuid: run.uuid, error: null })
    expect((await bulk({ filter })).json).to.deep.equal(none)
  })

  it('continue behind the last run if more match than fit into a request', async () => {
    const seen: string[] = []
    for (let n = 0; n < 101; n++) {
      const { uuid } = await api.stores.runs.queue({
        organizationUuid: api.organizations['acme'] ?? '',
        playbookName: 'p',
        playbookHash: playbook.hash,
        alertUuid: null,
        inputs: {},
      })
      await api.stores.runs.start(uuid, { title: 'A case' })
      await api.stores.runs.end(uuid, {
        status: 'failed',
        output: null,
        error: { code: 'many', message: 'x' },
      })
    }
    const filter = { error: 'many' }
    for (let after: string | null | undefined; after !== null;) {
      const { json } = await api.call('POST', '/api/runs/retry/preview', {
        body: { filter, ...(after !== undefined && { after }) },
      })
      seen.push(...json.data.map(({ run_uuid: uuid }: { run_uuid: string }) => uuid))
      expect(json.next === null).to.equal(json.left === 0)
      after = json.next
    }
    expect(new Set(seen).size).to.equal(101)
    expect(seen).to.have.length(101)
  })

  it('have a preview of limited size that shows repeated steps before carried-over ones', async () => {
    const ended = { state: 'completed', output: null, error: null, attempt: 1, endedAt: 2 } as const
    await Promise.all(
      Array.from({ length: 5_100 }, (_, n) =>
        api.stores.journal.record(
          run.uuid,
          {
            path: `s${n}`,
            stepId: null,
            kind: 'tower.ring_bell',
            input: { times: 1 },
            attempt: 1,
            startedAt: 1,
          },
          ended,
        ),
      ),
    )
    const { json } = await api.call('GET', `/api/runs/${run.uuid}/retry`)
    expect(json.steps).to.have.length(5_000)
    expect(json.steps[0].path).to.equal('first')
    expect([json.steps_total, json.steps_carried]).to.deep.equal([5_101, 0])
    expect(json.repeats).to.have.length(1_000)
    expect(json.repeats_total).to.equal(5_101)
  })

  it('require access to the organization', async () => {
    const call = (method: string, path: string, body?: object) =>
      api.call(method, `/api${path}`, { key: stranger, ...(body && { body }) })
    expectProblem(await call('GET', `/runs/${run.uuid}/retry`), 404, 'run_not_found')
    expectProblem(await call('POST', `/runs/${run.uuid}/retry`, {}), 404, 'run_not_found')
    expectProblem(await call('POST', `/alerts/${run.alertId}/investigate`), 404, 'alert_not_found')
    for (const path of ['/runs/retry', '/runs/retry/preview']) {
      const named = await call('POST', path, { runs: [run.uuid] })
      expect(named.json.data[0].error.code, path).to.equal('run_not_found')
    }
    for (const filter of [{ playbook: 'p' }, { error: 'broken' }])
      expect((await call('POST', '/runs/retry', { filter })).json).to.deep.equal({
        data: [],
        left: 0,
        next: null,
      })
    expect((await api.stores.runs.find('all', run.uuid))?.status).to.equal('failed')
    expect((await api.call('POST', '/api/runs/retry', { body: { filter: { playbook: 'p' } } })).json.data)
      .to.be.an('array')
      .that.has.length.above(0)
  })

  it('are refused while the alert is being investigated again', async () => {
    const again = await api.call('POST', `/api/alerts/${run.alertId}/investigate`)
    expect(again.status).to.equal(201)
    expectProblem(
      await api.call('POST', `/api/alerts/${run.alertId}/investigate`),
      409,
      'alert_move_forbidden',
    )
    expectProblem(await api.call('POST', `/api/runs/${run.uuid}/retry`, { body: {} }), 409, 'run_superseded')
    const next = `/api/runs/${again.json.run_uuid}/retry`
    expectProblem(await api.call('POST', next, { body: {} }), 409, 'run_not_ended')
    expectProblem(await api.call('GET', next), 409, 'run_not_ended')
  })

  it('follow their preview, even if the playbook was saved since', async () => {
    const edited = playbook.source.replace('n: 1', 'n: 2')
    const path = `/api/runs/${run.uuid}/retry`
    const seen = (await api.call('GET', `${path}?playbook=newest`)).json.plan as string
    const many = (await api.call('POST', '/api/runs/retry/preview', { body: { runs: [run.uuid] } })).json.data
    expect(many[0].plan, 'of the same').to.equal(seen)
    api.playbooks.push(parsePlaybook(edited).playbook!)
    const retry = (plan: string) => api.call('POST', path, { body: { playbook: 'newest', plan } })
    const all = { runs: [run.uuid], playbook: 'newest', plans: [seen] }
    try {
      expectProblem(await retry(seen), 409, 'retry_changed')
      expect((await api.call('POST', '/api/runs/retry', { body: all })).json.data[0].error.code).to.equal(
        'retry_changed',
      )
      expect((await api.stores.runs.find('all', run.uuid))?.retriedBy).to.equal(null)
      const now = (await api.call('GET', `${path}?playbook=newest`)).json.plan as string
      expect((await retry(now)).status).to.equal(201)
    } finally {
      api.playbooks.pop()
    }
  })

  it('are refused if the edited playbook no longer accepts the inputs', async () => {
    const source = playbook.source.replace('type: string, sensitive: true', 'type: integer')
    api.playbooks.push(parsePlaybook(source).playbook!)
    const reply = await api.call('POST', `/api/runs/${run.uuid}/retry`, { body: { playbook: 'newest' } })
    api.playbooks.pop()
    expectProblem(reply, 400, 'inputs_invalid')
    expect(reply.json.errors[0].pointer).to.equal('/inputs/code')
    expect(reply.text).not.to.include('swordfish')
  })
})
