import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Finding } from '../../server/doctor/finding.ts'
import { startProvider, type TestProvider } from '../identity/support/provider.ts'
import { newBrowser, type Browser } from '../identity/support/signed-on.ts'
import { runTocsin } from '../support/server/run-tocsin.ts'
import { makeTestTocsin, type TestTocsin } from '../support/server/test-tocsin.ts'

const callback = '/api/session/single-sign-on/callback'

/** A server in a process of its own, which is killed (SIGKILL). */
describe('single sign-on of a server that is killed', function () {
  this.timeout(60_000)
  let provider: TestProvider
  let tocsin: TestTocsin
  let browser: Browser
  let env: Record<string, string>

  before(async () => {
    provider = await startProvider({ refreshTokens: true })
    provider.people.set('anna-1', { name: 'Anna', email: 'anna@example.com', groups: ['soc'] })
    provider.current = 'anna-1'
    const secret = 'a secret of the client'
    env = {
      TOCSIN_LOG_LEVEL: 'debug',
      TOCSIN_PUBLIC_URL: 'http://127.0.0.1:9',
      TOCSIN_ALLOW_PRIVATE_EGRESS: new URL(provider.issuer).host,
      TOCSIN_OIDC_ISSUER: provider.issuer,
      TOCSIN_OIDC_CLIENT_ID: provider.clientId,
      TOCSIN_OIDC_CLIENT_SECRET: secret,
      TOCSIN_OIDC_SCOPES: 'openid profile email groups',
      TOCSIN_OIDC_ROLES: 'soc=analyst@main; typo=analyst@nowhere; x=analist',
    }
    tocsin = await makeTestTocsin({ env })
    await provider.stop()
    await tocsin.start()
    browser = newBrowser({ call: (...given) => send(tocsin.server.url, ...given) })
  })
  after(async () => {
    await tocsin.close()
    await provider.close()
  })

  /** Stops the server, starts the next one, and gives what the first one has printed. */
  const restart = async (signal: NodeJS.Signals = 'SIGKILL') => {
    const { stdout, stderr } = await tocsin.server.stop(signal)
    await tocsin.start()
    return `${stdout}${stderr}`
  }

  it('starts without its provider, and warns', async () => {
    const reply = await browser.call('POST', '/api/session/single-sign-on', {})
    expect(reply.json).to.include({ status: 503, code: 'identity_provider_unavailable' })
    const printed = await restart('SIGTERM')
    expect(printed).to.include('single sign-on does not work yet')
    expect(printed).to.include("TOCSIN_OIDC_ROLES has a list for the unknown organization 'nowhere'")
    expect(printed).to.include("TOCSIN_OIDC_ROLES gives the unknown role 'analist'")
    await provider.restart()
  })

  it('completes a sign-in that began before the kill, once', async () => {
    await restart()
    const answer = await browser.visit(provider)
    await restart()
    expect((await browser.call('POST', callback, answer)).status).to.equal(201)
    expect((await browser.call('POST', callback, answer)).json.code).to.equal('sign_on_unknown')
    expect((await browser.call('GET', '/api/session')).json).to.include({ key_name: 'Anna', role: 'analyst' })
  })

  it('keeps the session, and ends it over the back channel after the kill', async () => {
    await restart()
    expect((await browser.call('GET', '/api/session')).status).to.equal(200)
    const iat = Math.floor(Date.now() / 1_000)
    const events = { 'http://schemas.openid.net/event/backchannel-logout': {} }
    const claims = {
      iss: provider.issuer,
      aud: 'tocsin',
      sub: 'anna-1',
      jti: 'once',
      iat,
      exp: iat + 60,
      events,
    }
    const token = await provider.sign(claims)
    const logOut = () =>
      fetch(`${tocsin.server.url}/api/session/single-sign-on/logout`, {
        method: 'POST',
        body: new URLSearchParams({ logout_token: token }),
      })
    expect((await logOut()).status).to.equal(200)
    expect((await browser.call('GET', '/api/session')).status).to.equal(401)
    await restart()
    expect((await logOut()).status, 'repeated after a kill').to.equal(400)
  })

  it('writes neither the client secret nor tokens of the provider to disk or to the log', async () => {
    await browser.signIn(provider)
    const printed = await restart('SIGTERM')
    expect(printed).to.not.include(env['TOCSIN_OIDC_CLIENT_SECRET'])
    expect(printed).to.not.match(/eyJ[\w-]{20}/)
    const files = await readdir(join(tocsin.folder, 'data'))
    expect(files).to.include('tocsin.db')
    for (const file of files) {
      const bytes = (await readFile(join(tocsin.folder, 'data', file))).toString('latin1')
      expect(bytes.includes(env['TOCSIN_OIDC_CLIENT_SECRET']!), file).to.equal(false)
      expect(/eyJ[\w-]{20}/.test(bytes), file).to.equal(false)
    }
  })

  it('is checked by tocsin doctor', async () => {
    const check = async (changes: Record<string, string> = {}) => {
      const given = { ...env, TOCSIN_DATA_DIR: `${tocsin.folder}/none`, TOCSIN_PORT: '0', ...changes }
      const { stdout } = await runTocsin(['doctor', '--json'], { env: given })
      const findings = JSON.parse(stdout) as Finding[]
      return findings.find((finding) => finding.check === 'single sign-on')
    }
    expect(await check()).to.deep.include({ status: 'ok' })
    expect(await check({ TOCSIN_ALLOW_PRIVATE_EGRESS: '' })).to.deep.include({ status: 'problem' })
    expect((await check({ TOCSIN_OIDC_CLIENT_SECRET: 'file:/nowhere' }))?.message).to.include('/nowhere')
  })
})

async function send(url: string, method: string, path: string, { body, headers = {} }: SendOptions = {}) {
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  return { status: answer.status, headers: answer.headers, text, json: JSON.parse(text) }
}

interface SendOptions {
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}
