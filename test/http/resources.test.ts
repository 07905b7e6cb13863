import { someAuthor, somebody } from '../support/somebody.ts'
import { personOf } from '../../core/domain/audit.ts'
import { expect } from 'chai'
import { startApi, type Api } from './support/api.ts'
import { expectFits, expectProblem } from './support/schemas.ts'

const wholeNumber = 12_345_678_901_234_567_890n
/** Outputs of runs are shown only with a readable playbook, which declares the sensitive values. */
const source = `apiVersion: tocsin/v1
name: phishing
on: { alert: { type: phishing } }
steps:
  - return: { verdict: malicious }
`

describe('resources of the API', () => {
  let api: Api
  let alertId: string
  let alertUuid: string
  let caseId: string
  let runUuid: string

  /** An investigated alert, with one step that needed two attempts. */
  before(async () => {
    api = await startApi()
    const { stores, organizations } = api
    const body = {
      alert_content: 'x',
      alert_provider: 'SIEM',
      organization_code: 'acme',
      alert_type: 'phishing',
    }
    const { json } = await api.call('POST', '/api/alerts', { body })
    alertId = json.alert_id
    alertUuid = json.alert_uuid
    await api.call('POST', '/api/alerts', {
      body: { ...body, organization_code: 'globex', alert_provider: 'dlp' },
    })
    const organizationUuid = organizations['acme'] ?? ''
    const run = await stores.runs.queue({
      organizationUuid,
      playbookName: 'phishing',
      playbookHash: 'aa',
      alertUuid,
    })
    runUuid = run.uuid
    caseId = (await stores.runs.start(run.uuid, { title: 'Phishing' }))?.caseId ?? ''
    const begun = { path: 'look_up', stepId: 'look_up', kind: 'tower.ring_bell', startedAt: 5, attempt: 1 }
    await stores.journal.begin(run.uuid, { ...begun, input: { id: wholeNumber } })
    const error = { code: 'busy', message: 'busy' }
    await stores.journal.attemptFailed(run.uuid, {
      path: 'look_up',
      attempt: 1,
      error,
      startedAt: 5,
      endedAt: 6,
      retryAt: 7,
    })
    await stores.journal.end(run.uuid, 'look_up', {
      state: 'completed',
      output: { risk: 7 },
      error: null,
      attempt: 2,
      endedAt: 9,
    })
    await stores.cases.comment(organizationUuid, caseId, 'looks bad', personOf('kim'), 'key-1')
    await stores.cases.update(organizationUuid, caseId, { severity: 'high' }, personOf('kim'), 'key-2')
    await stores.runs.end(run.uuid, { status: 'completed', output: { verdict: 'malicious' }, error: null })
    const playbook = { name: 'phishing', origin: 'made', organizationUuid } as const
    await stores.playbooks.put({ ...playbook, hash: 'aa', source }, somebody())
    await stores.playbooks.put({ ...playbook, hash: 'bb', source: `${source}# new\n` }, somebody())
  })
  after(() => api.close())

  const get = async (path: string) => (await api.call('GET', `/api/${path}`)).json

  describe('alerts', () => {
    it('are found by id in any letter case and by uuid, with the results of the investigation', async () => {
      for (const id of [
        alertId,
        alertId.toUpperCase(),
        alertId.toLowerCase(),
        alertUuid,
        alertUuid.toUpperCase(),
      ]) {
        const alert = await get(`alerts/${id}`)
        expect(alert, id).to.include({
          alert_id: alertId,
          case_id: caseId,
          investigator: 'phishing',
          investigation_status: 15,
        })
        expect(alert.completed_at).to.equal(api.clock.time)
        expect(alert.runs.map((run: { run_uuid: string }) => run.run_uuid)).to.deep.equal([runUuid])
        expectFits('alert', alert)
      }
    })

    it('are listed newest first, page by page', async () => {
      const first = await get('alerts?limit=1')
      expect(first).to.include({ total: 2 })
      expect(first.data[0].organization_code).to.equal('globex')
      const second = await get(`alerts?limit=1&cursor=${first.next_cursor}`)
      expect(second).to.include({ total: 2, next_cursor: null })
      expect(second.data[0]).to.include({ alert_id: alertId, case_id: caseId, investigator: 'phishing' })
      for (const row of [...first.data, ...second.data]) expectFits('alert', row)
    })

    for (const filter of [
      'organization=ACME',
      'provider=siem',
      'status=15',
      'type=phishing&organization=acme',
    ]) {
      it(`are filtered by ${filter}`, async () => {
        const { data } = await get(`alerts?${filter}`)
        expect(data.map((row: { alert_id: string }) => row.alert_id)).to.deep.equal([alertId])
      })
    }

    it('can be filtered by case and by an unused type', async () => {
      expect((await get(`alerts?case=${caseId}`)).total).to.equal(1)
      expect((await get('alerts?case=acme-99')).total).to.equal(0)
      expect((await get('alerts?type=phish')).total).to.equal(0)
    })

    it('refuse a filter by an unknown value', async () => {
      expectProblem(await api.call('GET', '/api/alerts?organization=none'), 400, 'unknown_organization')
      expectProblem(await api.call('GET', '/api/alerts?provider=none'), 400, 'unknown_provider')
    })
  })

  it('lists cases, and returns one with alerts, runs and timeline', async () => {
    const list = await get('cases')
    expect(list.data.map((row: { case_id: string }) => row.case_id)).to.deep.equal([caseId])
    const found = await get(`cases/${caseId}`)
    expect(found).to.include({
      case_id: caseId,
      organization_code: 'acme',
      severity: 'high',
      title: 'Phishing',
    })
    expect(found.alerts.map((alert: { alert_id: string }) => alert.alert_id)).to.deep.equal([alertId])
    expect(found.runs.map((run: { run_uuid: string }) => run.run_uuid)).to.deep.equal([runUuid])
    expect(found.timeline.map((entry: { kind: string }) => entry.kind)).to.include.members([
      'opened',
      'note',
      'changed',
    ])
    for (const one of [...list.data, found]) expectFits('case', one)
  })

  it('lists runs without output, and returns one with output and steps', async () => {
    const list = await get(`runs?alert=${alertId}`)
    expect(list.data.map((row: { run_uuid: string }) => row.run_uuid)).to.deep.equal([runUuid])
    expect(list.data[0]).to.not.have.property('output')
    const run = await get(`runs/${runUuid}`)
    expect(run).to.deep.include({
      output: { verdict: 'malicious' },
      status: 'completed',
      alert_id: alertId,
      case_id: caseId,
    })
    const [step] = run.steps
    expect(step).to.deep.include({
      path: 'look_up',
      kind: 'tower.ring_bell',
      attempt: 2,
      output: { risk: 7 },
      ended_at: 9,
    })
    expect(step.failed_attempts).to.deep.equal([
      { attempt: 1, started_at: 5, ended_at: 6, retry_at: 7, error: { code: 'busy', message: 'busy' } },
    ])
    for (const one of [...list.data, run]) expectFits('run', one)
  })

  it('keeps integers of any size in step inputs', async () => {
    const { text } = await api.call('GET', `/api/runs/${runUuid}`)
    expect(text).to.include(`"input":{"id":${wholeNumber}}`)
  })

  it('lists the newest versions of playbooks, and returns one by name or hash', async () => {
    const { data } = await get('playbooks')
    const listed = { name: 'phishing', hash: 'bb', origin: 'made', organization_code: 'acme' }
    const version = {
      in_force: true,
      put_in_force_at: api.clock.time,
      put_in_force_by: 'ops',
      put_in_force_actor: someAuthor(),
      put_in_force_reason: null,
      draft: null,
      last_run_at: api.clock.time,
      runs_30d: 0,
      shadow: false,
      shadows: [],
    }
    expect(data).to.deep.equal([{ ...listed, ...version, created_at: api.clock.time }])
    expect((await get('playbooks/phishing')).source).to.equal(`${source}# new\n`)
    expect((await get('playbooks/aa')).source).to.equal(source)
  })

  it('lists skills and plugins with their schemas', async () => {
    const skill = (await get('skills')).data.find(({ name }: { name: string }) => name === 'tower.ring_bell')
    expect(skill).to.include({
      name: 'tower.ring_bell',
      plugin: 'tower',
      effect: 'write',
      repeat: 'never',
      destructive: null,
      needs_connection: true,
    })
    expect(skill.input.properties).to.deep.equal({ times: { type: 'integer' } })
    const [quiet, tower] = (await get('plugins')).data
    expect(tower.connection.settings.properties.api_token).to.include({ 'x-secret': true })
    expect([quiet.name, quiet.connection]).to.deep.equal(['quiet', null])
  })

  for (const list of ['organizations', 'providers']) {
    it(`adds and lists ${list}`, async () => {
      const reply = await api.call('POST', `/api/${list}`, { body: { code: 'Added_1', name: 'Added' } })
      expect(reply.status).to.equal(201)
      expect(reply.json).to.include({ code: 'Added_1', name: 'Added', created_at: api.clock.time })
      expect((await get(list)).data.map((row: { code: string }) => row.code)).to.include('Added_1')
      const again = await api.call('POST', `/api/${list}`, { body: { code: 'ADDED_1', name: 'Again' } })
      expectProblem(again, 409, list === 'organizations' ? 'organization_exists' : 'provider_exists')
      for (const code of ['with-hyphen', '', 'x'.repeat(33), 'é', 'a b', 'a\n']) {
        expectProblem(
          await api.call('POST', `/api/${list}`, { body: { code, name: 'x' } }),
          400,
          'value_invalid',
        )
      }
    })
  }

  function makeKey(body: object) {
    return api.call('POST', '/api/keys', { body: { name: 'robot', role: 'intake', ...body } })
  }

  describe('keys', () => {
    it('are created, shown once, and work', async () => {
      const expires_at = api.clock.time + 1_000
      const reply = await makeKey({ organization_codes: ['ACME'], expires_at })
      expect(reply.status).to.equal(201)
      const { key } = reply.json
      expect(key).to.match(/^toc_[0-9a-f]{12}_[\w-]{43}$/)
      expect(reply.json).to.deep.include({
        name: 'robot',
        role: 'intake',
        organization_codes: ['acme'],
        expires_at,
      })
      expect((await api.call('GET', '/api/organizations', { key })).json.total).to.equal(1)
      const { text } = await api.call('GET', '/api/keys')
      expect(text).to.include(reply.json.key_id).and.not.include(key.slice(-43))
      api.clock.time += 1_000
      expect((await api.call('GET', '/api/organizations', { key })).status).to.equal(401)
    })

    it('without organizations reach all of them', async () => {
      const { json } = await makeKey({})
      expect(json).to.include({ organization_codes: null, expires_at: null })
    })

    it('are refused with invalid fields', async () => {
      for (const [body, pointer] of [
        [{ role: 'root' }, '/role'],
        [{ name: '' }, '/name'],
        [{ organization_codes: [] }, '/organization_codes'],
        [{ expires_at: api.clock.time }, '/expires_at'],
        [{ key: 'toc_x' }, '/key'],
      ] as const) {
        const reply = await makeKey(body)
        expectProblem(reply, 400, 'value_invalid')
        expect(reply.json.errors[0].pointer).to.equal(pointer)
      }
      const reply = await makeKey({ organization_codes: ['acme', 'none'] })
      expectProblem(reply, 400, 'unknown_organization')
      expect(reply.json.errors[0].pointer).to.equal('/organization_codes/1')
    })
  })

  describe('connections', () => {
    const settings = { base_url: 'https://tower.example', api_token: 'canary-secret' }
    const make = (body: object) =>
      api.call('POST', '/api/connections', {
        body: { organization_code: 'acme', name: 'North tower', plugin: 'tower', settings, ...body },
      })

    it('are added with secrets that are stored and never shown', async () => {
      const reply = await make({})
      expect(reply.status, reply.text).to.equal(201)
      expect(reply.json).to.deep.include({
        name: 'North tower',
        settings: { base_url: 'https://tower.example' },
        enabled: true,
      })
      expectFits('connection', reply.json)
      const { text, json } = await api.call('GET', '/api/connections')
      expectFits('connection', json.data[0])
      expect(reply.text + text + JSON.stringify(api.logged)).to.not.include('canary-secret')
      const open = await api.stores.connections.open(api.organizations['acme'] ?? '', 'north TOWER')
      expect(open?.secrets['api_token']?.reveal()).to.equal('canary-secret')
    })

    it('have unique names regardless of letter case', async () => {
      expectProblem(await make({ name: 'NORTH tower' }), 409, 'connection_exists')
    })

    it('must match the schema of their plugin', async () => {
      const reply = await make({ name: 'other', settings: { base_url: 'nowhere', token: 'canary-secret' } })
      expectProblem(reply, 400, 'value_invalid')
      const pointers = reply.json.errors.map((error: { pointer: string }) => error.pointer)
      expect(pointers).to.have.members(['/settings/base_url', '/settings/token', '/settings/api_token'])
      expect(reply.text).to.not.include('canary-secret')
    })

    it('need a plugin that supports connections', async () => {
      for (const plugin of ['none', 'quiet', '__proto__']) {
        const reply = await make({ plugin })
        expectProblem(reply, 400, 'unknown_plugin')
        expect(reply.json.hint).to.equal('use one of: tower; add others with TOCSIN_PLUGINS')
      }
    })
  })
})
