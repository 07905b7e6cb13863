import { expect } from 'chai'
import { valueAt } from 'tocsin/plugin'
import { checkConnection, loopbackEgress, runSkill, type ServedSandbox } from 'tocsin/plugin/testing'
import { connection } from './connection.ts'
import sandbox, { settingsFor } from './sandbox.ts'
import { clients, tenantId } from './sandbox/data/clients.ts'
import { endpointFaults } from './sandbox/faults.ts'
import { endpointFixture } from './sandbox/data/fixture.ts'
import type { Controls } from './sandbox/commands.ts'
import { listMachines } from './skills/list-machines.ts'
import { explainTokenRefusal } from './token-errors.ts'

const credentials = { tenant_id: tenantId, client_id: clients.full.id, client_secret: clients.full.secret }
const noAlerts = { json: { value: [] } }

const caught = async (work: Promise<unknown>): Promise<object> =>
  work.then(
    () => ({ code: 'none' }),
    (error: unknown) => error as object,
  )

describe('the connection of endpoint_security', () => {
  describe('setting validation', () => {
    const check = async (settings: object): Promise<unknown> =>
      valueAt(
        await caught(
          checkConnection(connection, {
            settings: { ...credentials, ...settings },
            token: 'opaque',
            replies: [noAlerts],
          }),
        ),
        'code',
      )

    for (const settings of [
      {},
      { tenant_id: 'contoso.onmicrosoft.com' },
      { endpoint_api_url: 'https://eu.api.security.microsoft.com' },
      { endpoint_api_url: 'http://127.0.0.1:4000', login_url: 'http://127.0.0.1:4000/login' },
      { login_url: 'https://login.microsoftonline.us' },
      { api_resource_url: 'https://securitycenter.onmicrosoft.com/windowsatpservice' },
    ]) {
      it(`accepts ${JSON.stringify(settings)}`, async () => {
        expect(await check(settings)).to.equal('none')
      })
    }

    for (const settings of [
      { tenant_id: '' },
      { tenant_id: '../evil' },
      { tenant_id: 'a/b' },
      { tenant_id: 'a?b' },
      { client_id: 'not an id' },
      { client_secret: 'line\nbreak' },
      { client_secret: 'short' },
      { login_url: 'http://login.microsoftonline.com' },
      { login_url: 'https://login.microsoftonline.com/' },
      { login_url: 'https://user:password@login.example' },
      { endpoint_api_url: 'https://api.example?x=1' },
      { endpoint_api_url: 'http://127.0.0.1.example.com' },
      { api_resource_url: 'api://x' },
      { region: 'eu' },
    ]) {
      it(`refuses ${JSON.stringify(settings)}`, async () => {
        expect(await check(settings)).to.equal('value_invalid')
      })
    }
  })

  it('gets a token from the identity provider as specified and sends it to the platform', async () => {
    const { requests } = await checkConnection(connection, {
      settings: credentials,
      replies: [{ json: endpointFixture('token-success') }, noAlerts],
    })
    const [token, alerts] = requests
    expect(token?.url).to.equal(`https://login.microsoftonline.com/${tenantId}/oauth2/v2.0/token`)
    expect(token?.headers['content-type']).to.equal('application/x-www-form-urlencoded')
    expect(Object.fromEntries(new URLSearchParams(token?.body))).to.deep.equal({
      client_id: clients.full.id,
      client_secret: clients.full.secret,
      grant_type: 'client_credentials',
      scope: 'https://api.securitycenter.microsoft.com/.default',
    })
    expect(alerts?.url).to.equal('https://api.securitycenter.microsoft.com/api/alerts?%24top=1')
    expect(alerts?.headers).to.include({
      authorization: 'Bearer eyJ0eXAi.EXAMPLE.TOKEN',
      'content-type': 'application/json',
    })
  })

  describe('the connection test', () => {
    let running: ServedSandbox<Controls>
    beforeEach(async () => {
      running = await sandbox.start()
    })
    afterEach(() => running.close())

    const check = (settings: object = {}) =>
      checkConnection(connection, { settings: { ...running.settings, ...settings }, egress: loopbackEgress })
    const client = ({ id, secret }: { id: string; secret: string }) => ({
      client_id: id,
      client_secret: secret,
    })

    it('succeeds without warnings if the application has every permission', async () => {
      expect((await check()).warning).to.equal(undefined)
    })

    it('warns about skills that lack permissions', async () => {
      const { warning } = await check(client(clients.reader))
      expect(warning)
        .to.match(/Machine\.Isolate/)
        .and.match(/Ti\.ReadWrite\.All/)
        .and.match(/isolate_machine, unisolate_machine, run_antivirus_scan/)
      expect(warning)
        .to.not.match(/Alert\./)
        .and.not.match(/list_machines[,.]/)
    })

    it('fails without permission to read alerts', async () => {
      const error = await caught(check(client(clients.withoutAlerts)))
      expect(error).to.include({ name: 'ConnectionError', code: 'permission_missing' })
      expect(valueAt(error, 'message')).to.match(/Alert\.ReadWrite\.All/)
      expect(valueAt(error, 'hint')).to.match(/admin consent/)
    })

    it('relies on the platform if the token has no readable claims', async () => {
      const settings = { ...credentials, endpoint_api_url: running.url }
      expect(
        await checkConnection(connection, { settings, token: 'opaque', replies: [noAlerts] }),
      ).to.not.have.property('warning')
      const error = await caught(
        checkConnection(connection, { settings, token: 'opaque', replies: [endpointFaults.emptyForbidden] }),
      )
      expect(error).to.include({ name: 'ConnectionError', code: 'http_403' })
    })

    const refusals: readonly (readonly [about: string, settings: object, hint: RegExp])[] = [
      ['a wrong secret', { client_secret: 'wrong-secret' }, /its value, not its id/],
      ['an expired secret', client(clients.outdated), /has expired: add a new one/],
      [
        'an unknown application',
        { client_id: '99999999-2222-4333-8444-555555555555' },
        /check client_id and tenant_id/,
      ],
      ['an unknown tenant', { tenant_id: '99999999-4a59-4687-9b0c-1d2e3f405162' }, /unknown tenant/],
      ['another resource', { api_resource_url: 'https://graph.microsoft.com' }, /check api_resource_url/],
    ]
    for (const [about, settings, hint] of refusals) {
      it(`fails with ${about} and says how to fix it`, async () => {
        const error = await caught(check(settings))
        expect(error).to.include({ name: 'ConnectionError', code: 'token_refused' })
        expect(valueAt(error, 'hint')).to.match(hint)
        expect(JSON.stringify([error, valueAt(error, 'message'), valueAt(error, 'stack')])).to.not.include(
          valueAt({ ...running.settings, ...settings }, 'client_secret'),
        )
      })
    }

    it('fails on a sign-in page', async () => {
      const replies = [{ json: endpointFixture('token-success') }, endpointFaults.signInPage]
      expect(await caught(checkConnection(connection, { settings: credentials, replies }))).to.include({
        code: 'bad_response',
      })
      const other = [{ json: endpointFixture('token-success') }, { json: { hello: 'world' } }]
      const error = await caught(checkConnection(connection, { settings: credentials, replies: other }))
      expect(valueAt(error, 'hint')).to.match(/endpoint_api_url/)
    })

    it('gets a new token once if the old one expired', async () => {
      const signal = AbortSignal.timeout(30_000)
      const list = (settings = running.settings) =>
        runSkill(listMachines, { limit: 1 }, { settings, egress: expiring, signal })
      let expired = false
      const expiring: typeof loopbackEgress = {
        async send(request) {
          if (!expired && request.url.includes('/api/')) {
            expired = true
            running.controls.expireTokens()
          }
          return await loopbackEgress.send(request)
        },
      }
      expect((await list()).output.machines).to.have.length(1)
      expect(running.requests.map(({ path }) => path.split('?')[0])).to.deep.equal([
        `/login/${tenantId}/oauth2/v2.0/token`,
        '/api/machines',
        `/login/${tenantId}/oauth2/v2.0/token`,
        '/api/machines',
      ])
    })

    it('fails if a new token is refused too', async () => {
      const settings = settingsFor(running.url, clients.reader)
      const refusing: typeof loopbackEgress = {
        async send(request) {
          if (request.url.includes('/api/')) running.controls.expireTokens()
          return await loopbackEgress.send(request)
        },
      }
      const error = await caught(runSkill(listMachines, {}, { settings, egress: refusing }))
      expect(error).to.include({ name: 'ConnectionError', code: 'http_401' })
      expect(valueAt(error, 'hint')).to.match(/token is rejected/)
    })
  })

  describe('a refused token explains', () => {
    for (const [body, hint] of [
      [endpointFixture('token-error-401-bad-secret'), /its value, not its id/],
      [{ error: 'invalid_client', error_codes: [1] }, /check client_id and client_secret/],
      [{ error: 'invalid_scope' }, /api_resource_url/],
      // Only codes are read; the error description is ignored.
      [{ error: 'temporarily_unavailable', error_description: 'AADSTS7000215' }, undefined],
      [{ error: 'constructor', error_codes: ['__proto__'] }, undefined],
      ['<html>', undefined],
      [undefined, undefined],
    ] as const) {
      it("JSON.stringify(body)?.slice(0, 60) ?? 'an empty body'", () => {
        const explained = explainTokenRefusal({ status: 401, body })
        if (hint === undefined) expect(explained).to.equal(undefined)
        else expect(explained).to.match(hint)
      })
    }
  })
})
