import { expect } from 'chai'
import { valueAt } from 'tocsin/plugin'
import { checkConnection, loopbackEgress, type SandboxReply, type ServedSandbox } from 'tocsin/plugin/testing'
import { connection } from './connection.ts'
import sandbox, { sandboxWith } from './sandbox.ts'
import { threatFaults } from './sandbox/faults.ts'
import { alertsOnlyToken, apiToken, endingToken, expiredToken, revokedToken } from './sandbox/tokens.ts'

const caught = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => ({ code: 'none' }),
    (error: unknown) => error,
  )

describe('the connection of threat_platform', () => {
  describe('setting validation', () => {
    const given = { company_id: '330', api_token: 'a-token' }
    const status = { status: 'active', permissions: ['alerts:read', 'incidents:read'] }
    const check = async (settings: object) =>
      valueAt(
        await caught(
          checkConnection(connection, {
            settings: { ...given, ...settings },
            replies: () => ({ json: { ...status, data: [] } }),
          }),
        ),
        'code',
      )

    it('requires the platform address except for the vendor contract', async () => {
      expect(await check({})).to.equal('value_invalid')
      expect(await check({ contract: 'spec' })).to.equal('value_invalid')
      expect(connection.baseUrl({ ...given, contract: 'vendor' } as never)).to.equal(
        'https://platform.socradar.com',
      )
    })

    for (const settings of [
      { contract: 'vendor' },
      { base_url: 'https://threat.example.com:8443/gateway' },
      { base_url: 'http://127.0.0.1:4000' },
      { base_url: 'https://threat.example.com', contract: 'vendor' },
      { base_url: 'https://threat.example.com', audit_logs_path: '/api/v2/{company_id}/audit-logs' },
      { contract: 'vendor', audit_logs_path: '/.well-known/..x/company-{company_id}' },
    ]) {
      it(`accepts ${JSON.stringify(settings)}`, async () => {
        expect(await check(settings)).to.equal('none')
      })
    }

    for (const settings of [
      { company_id: '' },
      { company_id: '../330' },
      { api_token: '' },
      { api_token: 'a token' },
      { api_token: 'a\r\nx-other: 1' },
      { contract: 'other' },
      { base_url: 'https://threat.example.com/' },
      { base_url: 'http://threat.example.com' },
      { base_url: 'https://user:password@threat.example.com' },
      { audit_logs_path: 'https://elsewhere.example' },
      { audit_logs_path: '/audit?x=1' },
      { audit_logs_path: '/../x' },
      { audit_logs_path: '/api/./x' },
      { audit_logs_path: '/api/..' },
      { audit_logs_path: '/api/{company}/x' },
    ]) {
      it(`refuses ${JSON.stringify(settings)}`, async () => {
        expect(await check({ base_url: 'https://threat.example.com', ...settings })).to.equal('value_invalid')
      })
    }
  })

  describe('the connection test', () => {
    let running: ServedSandbox
    beforeEach(async () => {
      running = await sandbox.start()
    })
    afterEach(() => running.close())

    const check = async (settings: object = {}, now = Date.parse('2026-01-12T12:00:00Z')) =>
      checkConnection(connection, {
        settings: { ...running.settings, ...settings },
        egress: loopbackEgress,
        now,
      })

    it('reads the token status with the token as bearer', async () => {
      expect((await check()).warning).to.equal(undefined)
      expect(running.requests.map(({ method, path }) => `${method} ${path}`)).to.deep.equal([
        'GET /api/v1/token/status',
      ])
      expect(running.requests[0]?.headers).to.include({
        authorization: `Bearer ${apiToken}`,
        'content-type': 'application/json',
      })
    })

    it('warns from 14 days before the token expires', async () => {
      const at = async (time: string) => (await check({ api_token: endingToken }, Date.parse(time))).warning
      expect(await at('2030-01-17T23:59:58Z')).to.equal(undefined)
      expect(await at('2030-01-17T23:59:59Z')).to.match(
        /^The API token expires at 2030-01-31T23:59:59Z, in 14 days: create a new one/,
      )
      expect(await at('2030-01-31T12:00:00Z')).to.match(/in a day:/)
      expect(await caught(at('2030-01-31T23:59:59Z'))).to.include({ code: 'token_expired' })
    })

    const refusals: readonly (readonly [token: string, code: string, message: RegExp])[] = [
      [expiredToken, 'token_expired', /expired at 2020-01-31T23:59:59Z$/],
      [revokedToken, 'token_inactive', /is 'revoked', not active$/],
      [alertsOnlyToken, 'permission_missing', /lacks incidents:read$/],
      ['wrong-token', 'http_401', /answered 401/],
    ]
    for (const [token, code, message] of refusals) {
      it(`fails with a refused token: ${code}`, async () => {
        const error = await caught(check({ api_token: token }))
        expect(error).to.include({ name: 'ConnectionError', code })
        expect(valueAt(error, 'message')).to.match(message)
        expect(JSON.stringify(error)).to.not.include(token)
        expect(valueAt(error, 'hint')).to.match(/token/)
      })
    }

    const answers: readonly (readonly [SandboxReply, code: string])[] = [
      [threatFaults.signInPage, 'bad_response'],
      [threatFaults.wrongAddress, 'http_404'],
      [threatFaults.outage, 'http_500'],
      [{ json: { status: 'active' } }, 'bad_response'],
      [{ json: [] }, 'bad_response'],
      [{ json: { status: '', permissions: [] } }, 'bad_response'],
    ]
    for (const [answer, code] of answers) {
      it(`fails on ${JSON.stringify(answer).slice(0, 60)}: ${code}`, async () => {
        running.failNext(answer)
        expect(await caught(check())).to.include({ code })
      })
    }

    it('accepts a status without an expiry', async () => {
      running.failNext({
        json: { status: 'Active', permissions: ['incidents:read', 'alerts:read'], expires_at: null },
      })
      expect((await check()).warning).to.equal(undefined)
    })
  })

  describe('the connection test with the vendor contract', () => {
    let running: ServedSandbox
    beforeEach(async () => {
      running = await sandboxWith('vendor').start()
    })
    afterEach(() => running.close())

    const check = (settings: object = {}) =>
      checkConnection(connection, { settings: { ...running.settings, ...settings }, egress: loopbackEgress })

    it('reads one incident with the token in its header only', async () => {
      expect((await check()).warning).to.equal(undefined)
      expect(running.requests).to.have.length(1)
      const { path, headers } = running.requests[0]!
      expect(path).to.match(/^\/api\/company\/330\/incidents\/v4\?page=1&limit=1&/)
      expect(headers).to.include({ 'api-key': apiToken }).and.not.have.property('authorization')
      expect(path).to.not.include(apiToken)
    })

    it('fails with another company id, another token, or an error with status 200', async () => {
      expect(await caught(check({ company_id: '331' }))).to.include({ code: 'http_404' })
      expect(await caught(check({ api_token: 'wrong-token' }))).to.include({ code: 'http_401' })
      running.failNext(threatFaults.refusedWith200)
      expect(await caught(check())).to.include({ name: 'ConnectionError', code: 'http_401' })
    })
  })
})
