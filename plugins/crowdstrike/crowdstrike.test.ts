import { expect } from 'chai'
import { loopbackEgress, openDeclaredPlugin, type CannedReply } from 'tocsin/plugin/testing'
import sandbox from './sandbox.ts'

const falcon = await openDeclaredPlugin(import.meta.dirname, {
  client_id: 'c'.repeat(32),
  client_secret: 's'.repeat(40),
})

const device = 'a1b2c3d4e5f60718293a4b5c6d7e8f90'
const meta = { query_time: 0.01, trace_id: 't' }
const failing = (status: number, message: string) => ({
  status,
  json: { meta, resources: null, errors: [{ code: status, message }] },
})
const resources = (list: unknown, pagination: object = {}): CannedReply => ({
  json: { meta: { ...meta, pagination }, resources: list, errors: [] },
})
const host = (status: unknown) => resources([{ device_id: device, status }])
const lookup = ['find_devices', { hostname: 'pc-1' }] as const
const contain = ['contain_device', { device_id: device }] as const

describe('crowdstrike', () => {
  describe('reports errors with a hint for the operator', () => {
    const cases: readonly (readonly [string, CannedReply, string, RegExp])[] = [
      [
        'a deleted API client',
        failing(401, 'access denied, invalid bearer token'),
        'ConnectionError',
        /invalid bearer token; .*another cloud/,
      ],
      [
        'a missing scope',
        failing(403, 'access denied, authorization failed'),
        'ConnectionError',
        /authorization failed; .*lacks the scope/,
      ],
      [
        'a missing scope with status 200',
        { json: { errors: [{ code: 403, message: 'scope missing' }] } },
        'ConnectionError',
        /scope missing; .*scope of this skill/,
      ],
      [
        'a part of the result',
        { json: { resources: [], errors: [{ code: 500, message: 'shard down' }] } },
        'RetryableError',
        /shard down; .*part of the result/,
      ],
      [
        'an error inside a good answer',
        { json: { resources: [], errors: [{ code: 400, message: 'bad FQL' }] } },
        'SkillError',
        /bad FQL/,
      ],
      ['a bad filter', failing(400, 'invalid filter expression'), 'SkillError', /invalid filter expression/],
      [
        'maintenance',
        { status: 503, text: '<html><title>Down for maintenance</title></html>' },
        'RetryableError',
        /Down for maintenance/,
      ],
      ['a sign-in page', { text: '<html><title>Sign in</title></html>' }, 'SkillError', /JSON/],
    ]
    for (const [what, reply, kind, text] of cases)
      it(what, async () => {
        const failure = await falcon.failureOf(...lookup, { replies: [reply, reply] })
        expect(failure).to.include({ kind })
        expect(failure.text).to.match(text)
      })

    it('a wrong secret, when the token is requested', async () => {
      const refused = failing(
        403,
        'Failed to issue access token - Client authentication failed (e.g., unknown client)',
      )
      const failure = await falcon.checkFailureOf([refused])
      expect(failure).to.include({ kind: 'ConnectionError', code: 'token_refused' })
      expect(failure.text).to.match(/Client authentication failed.*; the client id or the secret is wrong/)
    })

    it('a used-up quota, until the time that Falcon names', async () => {
      const until = String(Date.parse('2026-11-20T12:00:20Z') / 1_000)
      const refused = {
        ...failing(429, 'API rate limit exceeded'),
        headers: { 'x-ratelimit-retryafter': until },
      }
      const failure = await falcon.failureOf(...lookup, { replies: [refused] })
      expect(failure).to.include({ kind: 'RetryableError', code: 'rate_limited', retryAfterMs: 20_000 })
      expect(failure.text).to.match(/6000 requests per minute/)
    })
  })

  it('uses the cloud of the tenant', async () => {
    const gov = await openDeclaredPlugin(import.meta.dirname, {
      cloud: 'us-gov-1',
      client_id: 'c',
      client_secret: 's',
      member_cid: 'm',
    })
    const token = { status: 201, json: { access_token: 'fresh', token_type: 'bearer', expires_in: 1799 } }
    const { requests, account } = await gov.check([token, resources(['1'], { total: 7 })])
    expect(requests.map(({ url }) => url)).to.deep.equal([
      'https://api.laggar.gcw.crowdstrike.com/oauth2/token',
      'https://api.laggar.gcw.crowdstrike.com/devices/queries/devices/v1?limit=1',
    ])
    expect(requests[0]?.body).to.contain('member_cid=m')
    expect(account).to.equal('API client c that sees 7 hosts')
  })

  describe('find_devices', () => {
    it('escapes names in FQL, and keeps only hosts with the name', async () => {
      const found = [
        { device_id: '1', hostname: "A'\\*" },
        { device_id: '2', hostname: 'other' },
        { device_id: '3', hostname: null },
      ]
      const { output, requests } = await falcon.run(
        'find_devices',
        { hostname: "a'\\*" },
        { replies: [resources(['1', '2', '3']), resources(found)] },
      )
      expect(new URL(requests[0]!.url).searchParams.get('filter')).to.equal(String.raw`hostname:'a\'\\*'`)
      expect(JSON.parse(requests[1]!.body)).to.deep.equal({ ids: ['1', '2', '3'] })
      expect(output['devices']).to.deep.equal([{ device_id: '1', hostname: "A'\\*", tags: [] }])
    })

    it('reads 10,000 hosts up to the limit, with short and empty pages', async () => {
      const ids = (from: number, count: number) => Array.from({ length: count }, (_, at) => `d${from + at}`)
      const page = (from: number, count: number) =>
        resources(ids(from, count), { offset: from + count, total: 10_000 })
      const hosts = resources(ids(0, 1_000).map((id) => ({ device_id: id })))
      const { output, requests } = await falcon.run(
        'find_devices',
        { limit: 1_000 },
        { replies: [page(0, 400), page(400, 600), hosts] },
      )
      expect((output['devices'] as unknown[]).length).to.equal(1_000)
      expect(output['complete']).to.equal(false)
      expect(requests[1]?.path).to.contain('offset=400')
      const empty = await falcon.run('find_devices', {}, { replies: [resources(null)] })
      expect(empty.output).to.deep.equal({ devices: [], complete: true })
    })

    it('passes states and platforms that it does not know', async () => {
      const odd = {
        device_id: '1',
        status: 'QUARANTINED_BY_ROBOT',
        platform_name: 'Toaster',
        tags: null,
        hostname: null,
        new_field: {},
      }
      const { output } = await falcon.run(
        'find_devices',
        {},
        { replies: [resources(['1']), resources([odd])] },
      )
      expect(output['devices']).to.deep.equal([
        { device_id: '1', state: 'quarantined_by_robot', platform: 'Toaster', tags: [] },
      ])
    })
  })

  it('reads alerts with nulls in place of objects', async () => {
    const bare = {
      composite_id: 'c:1',
      device: null,
      tags: null,
      severity: null,
      status: 'parked',
      agent_id: 'aid',
    }
    const { output } = await falcon.run(
      'search_alerts',
      { filter: "product:'idp'", status: 'new' },
      { replies: [resources([bare])] },
    )
    expect(output['alerts']).to.deep.equal([
      { alert_id: 'c:1', status: 'parked', device_id: 'aid', tags: [] },
    ])
  })

  describe('contain_device', () => {
    const state = async (replies: readonly CannedReply[]) =>
      (await falcon.run(...contain, { replies })).output

    const accepted: CannedReply = { status: 202, json: { resources: [{ id: device }], errors: [] } }

    it('returns the state that Falcon shows after accepting the action', async () => {
      const after = (reply: CannedReply) => state([host('normal'), accepted, reply])
      expect(await after(host('Containment_Pending'))).to.include({
        state: 'containment_pending',
        changed: true,
      })
      // Falcon is slow, or the host is missing.
      expect(await after(host('normal'))).to.include({ state: 'normal', changed: true })
      expect(await after(resources(null))).to.include({ state: 'unknown', changed: true })
    })

    it('leaves a contained host as it is, and acts in a state that it does not know', async () => {
      for (const status of ['contained', 'CONTAINMENT_PENDING'])
        expect(await state([host(status)])).to.include({ state: status.toLowerCase(), changed: false })
      expect(await state([host('robot'), accepted, host('contained')])).to.include({ changed: true })
      expect(await state([host(null), accepted, host('contained')])).to.include({ changed: true })
    })

    it('fails without acting if Falcon does not know the host', async () => {
      for (const reply of [resources([]), resources(null), failing(404, 'not found')]) {
        const failure = await falcon.failureOf(...contain, { replies: [reply] })
        expect(failure).to.include({ kind: 'SkillError' })
        expect(failure.text).to.match(/Falcon has no host with this device id/)
      }
    })

    it('explains a conflict, and leaves the outcome open after an error that says nothing', async () => {
      const conflict = await falcon.failureOf(...contain, {
        replies: [host('normal'), failing(409, 'conflict')],
      })
      expect(conflict).to.include({ kind: 'SkillError', effect: 'none' })
      expect(conflict.text).to.match(/conflict; .*read it with get_device/)
      const lost = await falcon.failureOf(...contain, {
        replies: [host('normal'), accepted, failing(400, 'bad')],
      })
      expect(lost).to.include({ effect: 'unknown' })
    })

    it('reads the host after an interruption', async () => {
      const verify = async (status: unknown) =>
        (await falcon.run(...contain, { purpose: 'verify', replies: [host(status)] })).output
      expect(await verify('containment_pending')).to.include({ state: 'containment_pending', changed: true })
      expect(await verify('normal')).to.equal(undefined)
      expect(await falcon.failureOf(...contain, { purpose: 'verify', replies: [resources([])] })).to.include({
        kind: 'SkillError',
      })
    })

    it('refuses an invalid device id', async () => {
      const failure = await falcon.failureOf('contain_device', { device_id: '*' }, { replies: [] })
      expect(failure.text).to.match(/id of a host/)
    })
  })

  describe('create_ioc', () => {
    const ioc = { type: 'sha256', value: 'f'.repeat(64) }

    it('reports the reason of a refusal', async () => {
      const refused = {
        status: 400,
        json: {
          errors: [{ code: 400, message: 'Invalid' }],
          resources: [{ row: 1, message: 'Duplicate type and value' }],
        },
      }
      const failure = await falcon.failureOf('create_ioc', ioc, { replies: [resources([]), refused] })
      expect(failure).to.include({ kind: 'SkillError', effect: 'none' })
      expect(failure.text).to.match(/Duplicate type and value; .*find_iocs/)
    })

    it('leaves the outcome open if the indicator is not listed yet', async () => {
      const verify = { purpose: 'verify' as const }
      const open = await falcon.failureOf('create_ioc', ioc, { ...verify, replies: [resources([])] })
      expect(open).to.include({ code: 'bad_response' })
      const known = resources([{ id: '7', action: 'prevent', value: ioc.value, applied_globally: true }])
      const { output } = await falcon.run('create_ioc', ioc, { ...verify, replies: [known] })
      expect(output).to.deep.equal({ ioc_id: '7', value: ioc.value, changed: true })
    })

    it('leaves an indicator with the same action as it is', async () => {
      const platforms = ['windows', 'mac', 'linux']
      const known = { id: '7', action: 'prevent', value: ioc.value, applied_globally: true, platforms }
      const { output, requests } = await falcon.run('create_ioc', ioc, { replies: [resources([known])] })
      expect(output).to.deep.equal({ ioc_id: '7', value: ioc.value, changed: false })
      expect(new URL(requests[0]!.url).searchParams.get('filter')).to.equal(
        `type:'sha256'+value:'${ioc.value}'`,
      )
      const made = { status: 201, json: { resources: [{ id: '8' }] } }
      for (const change of [
        { expired: true },
        { applied_globally: false },
        { platforms: ['mac'] },
        { deleted: true },
      ]) {
        const other = resources([{ ...known, ...change }])
        const created = await falcon.run('create_ioc', ioc, { replies: [other, made] })
        expect(created.output).to.include({ ioc_id: '8', changed: true })
      }
    })
  })

  it('reports an unknown alert as unchanged', async () => {
    const none = { json: { meta: { writes: { resources_affected: 0 } } } }
    const { output } = await falcon.run(
      'update_alert',
      { alert_id: 'x:y', status: 'closed' },
      { replies: [none] },
    )
    expect(output).to.deep.equal({ changed: false })
  })

  it('contains and releases a host of its sandbox', async () => {
    const running = await sandbox.start()
    try {
      const call = async (skill: string, input: object) =>
        (await falcon.run(skill, input, { settings: running.settings, egress: loopbackEgress })).output
      const { devices } = await call('find_devices', { hostname: 'pc-0042' })
      const [{ device_id: id, state }] = devices as [{ device_id: string; state: string }]
      expect(state).to.equal('normal')
      expect(await call('contain_device', { device_id: id })).to.include({
        state: 'containment_pending',
        changed: true,
      })
      expect(await call('get_device', { device_id: id })).to.include({ state: 'contained', contained: true })
      expect(await call('contain_device', { device_id: id })).to.include({
        state: 'contained',
        changed: false,
      })
      expect(await call('lift_containment', { device_id: id })).to.include({
        state: 'lift_containment_pending',
      })
      expect(await call('get_device', { device_id: id })).to.include({ state: 'normal', contained: false })
    } finally {
      await running.close()
    }
  })
})
