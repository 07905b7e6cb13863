import { expect } from 'chai'
import { isOnce } from '../../server/http/request/idempotency.ts'
import { routes } from '../../server/http/routing/routes.ts'
import { startApi, type Api } from './support/api.ts'
import { expectProblem } from './support/schemas.ts'
import { manualPlaybook, thingsOf, towerSettings } from './support/things.ts'

type Body = Readonly<Record<string, unknown>>

/** Every operation that supports an `Idempotency-Key`: its path, a body, and a different body. */
const operations: Readonly<
  Record<string, (api: Api) => Promise<readonly [path: string, body?: Body, other?: Body]>>
> = {
  'POST /alerts/{alert}/investigate': async (api) => {
    const { alert } = await thingsOf(api, 'acme').investigatedAlert()
    return [`/alerts/${alert?.[0]}/investigate`]
  },
  'POST /runs/{run}/retry': async (api) => {
    const { run } = await thingsOf(api, 'acme').failedRun()
    return [`/runs/${run?.[0]}/retry`, {}, { playbook: 'newest' }]
  },
  'POST /runs/retry': async (api) => {
    const { run } = await thingsOf(api, 'acme').failedRun()
    return ['/runs/retry', { runs: run }, { runs: ['x'] }]
  },
  'POST /checkpoints/answer': async (api) => {
    const { checkpoint, seen } = await thingsOf(api, 'acme').seenCheckpoint()
    const body = { checkpoints: checkpoint, seen: seen?.[0], answer: 'yes' }
    return ['/checkpoints/answer', body, { ...body, answer: 'no' }]
  },
  'POST /checkpoints/{checkpoint}/answer': async (api) => {
    const { checkpoint } = await thingsOf(api, 'acme').checkpoint()
    return [`/checkpoints/${checkpoint?.[0]}/answer`, { answer: 'yes' }, { answer: 'yes', text: 'sure' }]
  },
  'POST /runs/{run}/cancel': async (api) => {
    const { run } = await thingsOf(api, 'acme').run()
    return [`/runs/${run?.[0]}/cancel`]
  },
  'POST /runs/{run}/resolve': async (api) => {
    const { run } = await thingsOf(api, 'acme').runWithUnknownStep()
    const body = { path: 'a', decision: 'skip' }
    return [`/runs/${run?.[0]}/resolve`, body, { ...body, decision: 'run_again' }]
  },
  'POST /connections/{connection}/rotate-token': async (api) => {
    const { connection } = await thingsOf(api, 'acme').connection()
    return [`/connections/${encodeURIComponent(connection?.[0] ?? '')}/rotate-token`]
  },
  'POST /engine/pause': async () => ['/engine/pause', { reason: 'x' }, { reason: 'y' }],
  'POST /engine/resume': async () => ['/engine/resume'],
  'POST /playbooks/{playbook}/runs': async () => {
    const body = { organization_code: 'acme', inputs: { user: 'eve' } }
    return ['/playbooks/p/runs', body, { ...body, inputs: { user: 'mallory' } }]
  },
  'POST /playbooks/{playbook}/trigger/{organization}': async () => [
    '/playbooks/p/trigger/acme',
    { user: 'eve' },
    { user: 'mallory' },
  ],
  'POST /skills/{skill}/runs': async () => {
    const body = { organization_code: 'acme', input: { kind: 'ip', value: '192.0.2.1' } }
    return ['/skills/tower.look_up/runs', body, { ...body, input: { kind: 'ip', value: '192.0.2.2' } }]
  },
  'POST /cases/{case}/notes': async (api) => {
    const { case: id } = await thingsOf(api, 'acme').case()
    return [`/cases/${id?.[0]}/notes`, { text: 'seen' }, { text: 'not seen' }]
  },
  'POST /cases/{case}/tasks': async (api) => {
    const { case: id } = await thingsOf(api, 'acme').case()
    return [`/cases/${id?.[0]}/tasks`, { title: 'Call Kim' }, { title: 'Call Bo' }]
  },
  'POST /cases/{case}/files': async (api) => {
    const { case: id } = await thingsOf(api, 'acme').case()
    return [`/cases/${id?.[0]}/files?name=mail.json`, { subject: 'a' }, { subject: 'b' }]
  },
  'POST /cases/bulk': async (api) => {
    const { case: id } = await thingsOf(api, 'acme').case()
    const cases = [{ case_id: id?.[0], revision: 1 }]
    return [
      '/cases/bulk',
      { cases, changes: { verdict: 'benign' } },
      { cases, changes: { verdict: 'malicious' } },
    ]
  },
  'POST /cases/{case}/split': async (api) => {
    const { case: id, alert } = await thingsOf(api, 'acme').caseWithAlerts()
    return [`/cases/${id?.[0]}/split`, { alerts: alert }, { alerts: alert, title: 'Apart' }]
  },
  'POST /containments/{containment}/undo': async (api) => {
    const { containment } = await thingsOf(api, 'globex').containment()
    return [`/containments/${containment?.[0]}/undo`]
  },
  'POST /containments/{containment}/extend': async (api) => {
    const { containment } = await thingsOf(api, 'acme').containment()
    return [`/containments/${containment?.[0]}/extend`, { by: '4h' }, { by: '5h' }]
  },
  'POST /cases/{case}/containments/undo': async (api) => {
    const { case: id } = await thingsOf(api, 'acme').case()
    return [`/cases/${id?.[0]}/containments/undo`, {}, { containments: ['x'] }]
  },
  'POST /runs/{run}/containments/undo': async (api) => {
    const { run } = await thingsOf(api, 'acme').run()
    return [`/runs/${run?.[0]}/containments/undo`, {}, { containments: ['x'] }]
  },
  'POST /organizations': async () => [
    '/organizations',
    { code: 'new', name: 'New' },
    { code: 'new', name: 'x' },
  ],
  'POST /providers': async () => ['/providers', { code: 'new', name: 'New' }, { code: 'new', name: 'x' }],
  'POST /keys': async () => ['/keys', { name: 'k', role: 'reader' }, { name: 'k', role: 'admin' }],
  'POST /accounts': async () => {
    const body = { email: 'a@example.com', name: 'Anna', roles: [{ role: 'reader' }] }
    return ['/accounts', body, { ...body, name: 'Anne' }]
  },
  'POST /roles': async () => {
    const body = { name: 'triage', description: 'x', permissions: ['cases:read'] }
    return ['/roles', body, { ...body, description: 'y' }]
  },
  'POST /connections': async () => {
    const body = { organization_code: 'acme', name: 'n', plugin: 'tower', settings: towerSettings }
    return ['/connections', body, { ...body, settings: { ...towerSettings, api_token: 'other' } }]
  },
}

/** Values that a repetition does not show. */
const shownOnce: Readonly<Record<string, object>> = {
  'POST /keys': { key: null },
  'POST /accounts': { invitation_url: null },
}

describe('a request with an Idempotency-Key', () => {
  let api: Api
  before(async () => {
    api = await startApi()
    api.playbooks.push(manualPlaybook)
  })
  after(() => api.close())

  const send = (path: string, body: Body | undefined, idempotencyKey: string, key = api.adminKey) =>
    api.call('POST', `/api${path}`, {
      key,
      ...(body !== undefined && { body }),
      headers: { 'idempotency-key': idempotencyKey, ...(path.endsWith('/split') && { 'if-match': '*' }) },
    })

  it('is tested for every operation that creates or changes something', () => {
    const once = routes.filter(isOnce).map(({ method, path }) => `${method} ${path}`)
    expect(once).to.have.members(Object.keys(operations))
    const others = routes.filter((route) => route.status !== 200 && !isOnce(route))
    expect(others.map(({ path }) => path)).to.have.members([
      '/alerts',
      '/alerts/forward/{organization}/{provider}',
      '/playbooks/{playbook}/backtests',
      '/accounts/{account}/invitation',
      '/me/totp',
      '/me/passkeys',
      '/session',
      '/session/passkey',
      '/invitation/accept',
      '/session/single-sign-on/callback',
    ])
  })

  it('ignores the key for POSTs that only read, and those with their own handling', () => {
    const others = routes.filter((route) => route.method === 'POST' && !isOnce(route))
    expect(others.map(({ path }) => path)).to.have.members([
      '/alerts',
      '/alerts/forward/{organization}/{provider}',
      // A repeated merge or link changes nothing.
      '/cases/{case}/merge',
      '/cases/{case}/links',
      // As is a file that is withdrawn twice.
      '/cases/{case}/files/{hash}/withdraw',
      '/shared-filters',
      '/notifications/read',
      '/correlations/preview',
      '/session',
      '/session/single-sign-on',
      '/session/single-sign-on/callback',
      '/session/single-sign-on/logout',
      '/webhooks/{plugin}/v1/{route}',
      '/connections/{connection}/authenticate',
      '/connections/{connection}/sign-in',
      '/oauth/callback',
      '/checkpoints/answer/preview',
      '/runs/retry/preview',
      '/keys/{key}/rotate',
      '/me/keys/{key}/accept',
      '/accounts/{account}/invitation',
      '/me/totp',
      '/me/totp/confirm',
      '/me/passkeys/options',
      '/me/passkeys',
      '/me/recovery-codes',
      '/session/passkey/options',
      '/session/passkey',
      '/invitation/preview',
      '/invitation/accept',
      '/accounts/{account}/disable',
      '/accounts/{account}/enable',
      '/playbooks/validate',
      '/playbooks/complete',
      '/playbooks/hover',
      '/playbooks/dry-run',
      '/playbooks/{playbook}/test',
      // Applied again, a set or a reload changes nothing.
      '/playbook-set',
      '/playbook-folder/reload',
      // A repeated publication finds no draft.
      '/playbooks/{playbook}/draft/publish',
      // A backtest writes nothing.
      '/playbooks/{playbook}/backtests',
      '/backtests/{backtest}/cancel',
      '/backtests/{backtest}/resume',
      // A repeated promotion finds no shadow.
      '/playbooks/{playbook}/shadow/promote',
    ])
  })

  it('treats ids and names in another letter case as the same where case does not matter', async () => {
    const { case: [id = ''] = [] } = await thingsOf(api, 'acme').case()
    const first = await send(`/cases/${id}/notes`, { text: 'seen' }, 'letters')
    const again = await send(`/cases/${id.toUpperCase()}/notes`, { text: 'seen' }, 'letters')
    expect(again.headers.get('idempotency-replayed'), again.text).to.equal('true')
    expect(again.json).to.deep.equal(first.json)
    const { case: [other = ''] = [] } = await thingsOf(api, 'acme').case()
    expectProblem(
      await send(`/cases/${other}/notes`, { text: 'seen' }, 'letters'),
      422,
      'idempotency_key_reused',
    )
    expect(
      (await send('/playbooks/p/runs', { organization_code: 'acme', inputs: { user: 'eve' } }, 'names'))
        .status,
    ).to.equal(201)
    expectProblem(
      await send('/playbooks/P/runs', { organization_code: 'acme', inputs: { user: 'eve' } }, 'names'),
      422,
      'idempotency_key_reused',
    )
  })

  it('rotates a token only once', async () => {
    const { connection: [name = ''] = [] } = await thingsOf(api, 'globex').connection()
    const uuid = (await api.stores.connections.list('all')).find((one) => one.name === name)?.uuid ?? ''
    const token = async () =>
      (await api.stores.connections.eventsToken(api.organizations['globex'] ?? '', uuid)).reveal()
    const tokens = [await token()]
    for (let time = 0; time < 2; time++) {
      await send(`/connections/${uuid}/rotate-token`, undefined, 'rotate')
      tokens.push(await token())
    }
    expect(tokens[1]).to.not.equal(tokens[0])
    expect(tokens[2]).to.equal(tokens[1])
  })

  for (const [operation, make] of Object.entries(operations)) {
    it(`is executed once: ${operation}`, async () => {
      const [path, body, other] = await make(api)
      const key = `once ${operation}`.replaceAll(/[^a-z]/g, '-')
      const first = await send(path, body, key)
      expect(first.status, first.text).to.be.oneOf([200, 201, 202])
      expect(first.headers.get('idempotency-replayed')).to.equal(null)
      const before = await api.stores.audit.head()
      const again = await send(path, body, key)
      expect(again.headers.get('idempotency-replayed')).to.equal('true')
      expect(again.status).to.equal(first.status)
      for (const name of ['location', 'etag', 'content-type'])
        expect(again.headers.get(name), name).to.equal(first.headers.get(name))
      const shown = { ...first.json, ...shownOnce[operation] }
      expect(again.json).to.deep.equal(shown)
      expect(await api.stores.audit.head()).to.deep.equal(before)
      if (other !== undefined) expectProblem(await send(path, other, key), 422, 'idempotency_key_reused')
      expect(await api.stores.audit.head()).to.deep.equal(before)
    })
  }

  it('is independent of other operations and other API keys', async () => {
    const body = { code: 'twice', name: 'x' }
    expect((await send('/organizations', body, 'shared')).status).to.equal(201)
    expectProblem(await send('/providers', body, 'shared'), 422, 'idempotency_key_reused')
    const other = await api.newKey('admin')
    expectProblem(await send('/organizations', body, 'shared', other), 409, 'organization_exists')
    expect((await send('/providers', body, 'shared', other)).status).to.equal(201)
  })

  it('matches another spelling of the same JSON', async () => {
    const options = (body: string) => ({
      body,
      headers: { 'idempotency-key': 'spelling', 'content-type': 'application/json' },
    })
    const first = await api.call('POST', '/api/organizations', options('{"code":"spelt","name":"A"}'))
    const again = await api.call(
      'POST',
      '/api/organizations',
      options('{ "name": "\\u0041", "code": "spelt" }'),
    )
    expect(again.json).to.deep.equal(first.json)
    expect(again.headers.get('idempotency-replayed')).to.equal('true')
  })

  it('does not use up the key if it is refused', async () => {
    expectProblem(await send('/organizations', { code: 'a-b', name: 'x' }, 'refused'), 400, 'value_invalid')
    expectProblem(
      await send('/organizations', { code: 'acme', name: 'x' }, 'refused'),
      409,
      'organization_exists',
    )
    expect((await send('/organizations', { code: 'ok', name: 'x' }, 'refused')).status).to.equal(201)
  })

  it('is executed once if sent twice concurrently', async () => {
    const body = { name: 'k', role: 'reader' }
    const count = async () => (await api.stores.keys.list()).length
    const before = await count()
    const [one, other] = await Promise.all([send('/keys', body, 'race'), send('/keys', body, 'race')])
    expect(one.json.key_id).to.equal(other.json.key_id)
    expect([one.json.key, other.json.key].filter((key) => key === null)).to.have.length(1)
    expect(await count()).to.equal(before + 1)
  })

  it('is remembered for 24 hours', async () => {
    const body = { name: 'k', role: 'reader' }
    const first = await send('/keys', body, 'day')
    api.clock.time += 24 * 3_600_000 - 1
    expect((await send('/keys', body, 'day')).json.key_id).to.equal(first.json.key_id)
    api.clock.time += 1
    expect((await send('/keys', body, 'day')).json.key_id).to.not.equal(first.json.key_id)
  })

  it('needs a well-formed key', async () => {
    for (const key of ['', ' ', 'x'.repeat(256), 'a b', 'ü'])
      expectProblem(await send('/organizations', { code: 'x', name: 'x' }, key), 400, 'header_invalid')
  })
})
