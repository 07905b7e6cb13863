import { expect } from 'chai'
import { Secret } from '../../core/plugin/index.ts'
import type { VaultSettings } from '../../server/config/secret-settings.ts'
import { createEgress } from '../../server/egress/egress.ts'
import { Unresolved } from '../../server/secrets/sources/unresolved.ts'
import { createVaultHttp } from '../../server/secrets/vault/vault-http.ts'
import { createVaultReader } from '../../server/secrets/vault/vault-reader.ts'
import { VaultSession } from '../../server/secrets/vault/vault-session.ts'
import { eventually } from '../support/eventually.ts'
import { serveVault } from './support/vault-server.ts'

type Vault = Awaited<ReturnType<typeof serveVault>>

const appRole = {
  kind: 'approle',
  mount: 'approle',
  roleId: new Secret('role-id-0001'),
  secretId: new Secret('secret-id-0001'),
} as const

const patience = { nodeTimeoutMs: 500, totalTimeoutMs: 2_000, firstPauseMs: 1 }

describe('secrets in Vault', () => {
  let vault: Vault
  let standby: Vault
  let closing: (() => void)[]

  beforeEach(async () => {
    closing = []
    vault = await serveVault()
    standby = await serveVault()
    vault.secrets.set('tocsin/acme/intel', { api_key: 'canary-value-1', list: ['x'] })
  })
  afterEach(async () => {
    for (const close of closing) close()
    await Promise.all([vault.close(), standby.close()])
  })

  /** A reader with a separate clock. */
  function open(changes: Partial<VaultSettings> = {}) {
    const settings = {
      addresses: [vault.url],
      namespace: undefined,
      auth: appRole,
      mount: 'secret',
      cacheMs: 60_000,
      graceMs: 900_000,
      ...changes,
    }
    const told: string[] = []
    const secrets: string[] = []
    const time = { nowMs: 0 }
    const egress = createEgress({ allowPrivate: settings.addresses.map((address) => new URL(address).host) })
    const http = createVaultHttp({ settings, egress, onTrouble: (_address, why) => told.push(why), patience })
    const session = new VaultSession({ auth: settings.auth, http, onSecret: (text) => secrets.push(text) })
    const onGrace = (_path: string, why: string) => told.push(`grace: ${why}`)
    const reader = createVaultReader({ settings, http, session, onGrace, nowMs: () => time.nowMs })
    closing.push(() => {
      session.close()
      egress.close()
    })
    const read = (key = 'api_key', { isRefused = false, name = 'intel' } = {}) =>
      reader.read(['tocsin', 'acme', name], key, { isRefused })
    return { read, told, secrets, time }
  }

  async function refused(work: Promise<unknown>): Promise<Unresolved> {
    const error: unknown = await work.then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    expect(error).to.be.instanceOf(Unresolved)
    expect(`${(error as Unresolved).message} ${(error as Unresolved).hint}`).to.not.include('canary')
    return error as Unresolved
  }

  it('are read with an AppRole, once for all keys and readers at the same time', async () => {
    vault.secrets.set('tocsin/acme/intel', { a: 'canary-a', b: 'canary-b' })
    const { read, secrets } = open()
    expect(await Promise.all([read('a'), read('b'), read('a')])).to.deep.equal([
      'canary-a',
      'canary-b',
      'canary-a',
    ])
    expect(vault.asked.map(({ method, path }) => `${method} ${path}`)).to.deep.equal([
      'POST /v1/auth/approle/login',
      'GET /v1/secret/data/tocsin/acme/intel',
    ])
    expect(secrets).to.include.members(['secret-id-0001', 'issued-token-1'])
  })

  it('are read with a token in a namespace', async () => {
    vault.state.namespace = 'admin/soc'
    const auth = { kind: 'token', token: new Secret('root-token-0001') } as const
    expect(await open({ auth, namespace: 'admin/soc' }).read()).to.equal('canary-value-1')
    expect((await refused(open({ auth }).read())).message).to.equal(
      'Vault refused the token of the server (404)',
    )
  })

  it('are asked for again after the cache time, and at once after a refusal by the other system', async () => {
    const { read, time } = open()
    await read()
    vault.secrets.set('tocsin/acme/intel', { api_key: 'canary-value-2' })
    time.nowMs = 59_999
    expect(await read()).to.equal('canary-value-1')
    expect(await read('api_key', { isRefused: true })).to.equal('canary-value-2')
    vault.secrets.set('tocsin/acme/intel', { api_key: 'canary-value-3' })
    time.nowMs += 60_000
    expect(await read()).to.equal('canary-value-3')
  })

  it('are used for a while when Vault is down, and not when it refuses', async () => {
    const { read, told, time } = open({ graceMs: 10_000 })
    await read()
    vault.state.misbehave = () => ({ status: 503, body: '{"errors":["Vault is sealed"]}' })
    time.nowMs = 61_000
    expect(await read()).to.equal('canary-value-1')
    expect(told).to.include('grace: Vault is sealed or in maintenance')
    expect((await refused(read('api_key', { isRefused: true }))).isTemporary).to.equal(true)
    time.nowMs = 70_000
    expect(await refused(read())).to.include({
      message: 'Vault is sealed or in maintenance',
      hint: 'unseal it',
      isTemporary: true,
    })
    vault.state.misbehave = () => undefined
    expect(await read()).to.equal('canary-value-1')
    vault.secrets.delete('tocsin/acme/intel')
    time.nowMs += 60_000
    expect(await refused(read())).to.include({ message: 'there is no such secret', isTemporary: false })
    vault.state.misbehave = () => ({ status: 503 })
    expect((await refused(read())).isTemporary, 'the refused value is forgotten').to.equal(true)
  })

  it('say what is missing', async () => {
    vault.secrets.set('tocsin/acme/gone', null)
    vault.secrets.set('tocsin/acme/denied', { api_key: 'canary-denied' })
    vault.state.denied.add('tocsin/acme/denied')
    const { read } = open()
    for (const [key, name, message] of [
      ['other', 'intel', "the secret has no key 'other'"],
      ['list', 'intel', "the secret has no text under 'list'"],
      ['__proto__', 'intel', "the secret has no key '__proto__'"],
      ['api_key', 'none', 'there is no such secret'],
      ['api_key', 'gone', 'its newest version is deleted'],
      ['api_key', 'denied', 'Vault denies access'],
    ] as const)
      expect(await refused(read(key, { name }))).to.include({ message, isTemporary: false })
    expect(vault.state.signIns, 'a policy does not end the token').to.equal(1)
  })

  it('are read with a new token when the old one was revoked', async () => {
    const { read, time } = open()
    await read()
    vault.tokens.delete('issued-token-1')
    time.nowMs = 60_000
    expect(await read()).to.equal('canary-value-1')
    expect(vault.state.signIns).to.equal(2)
  })

  it('need a sign-in that Vault accepts, and do not retry a refused one immediately', async () => {
    vault.state.secretId = 'another-id'
    const { read } = open()
    const { message, hint, isTemporary } = await refused(read())
    expect({ message, isTemporary }).to.deep.equal({
      message: 'Vault refused the sign-in of the server (400)',
      isTemporary: false,
    })
    expect(hint).to.include('TOCSIN_VAULT_SECRET_ID').and.not.include('secret-id-0001')
    await refused(read())
    expect(vault.asked).to.have.length(1)
  })

  it('keep a token that is renewed before it ends', async () => {
    vault.state.lease = { ttl: 1, renewable: true }
    const { read, time } = open()
    await read()
    await eventually('two renewals', () => (vault.state.renewals >= 2 ? true : undefined))
    time.nowMs = 60_000
    await read()
    expect(vault.state.signIns).to.equal(1)
  })

  describe('of a cluster', () => {
    const data = (status: number, headers = {}) => ({ status, headers, body: '{"errors":[]}' })

    for (const status of [429, 472, 473, 500, 501, 502, 503])
      it(`are read from another node when one answers ${status}`, async () => {
        standby.state.misbehave = () => data(status)
        const { read, told } = open({ addresses: [standby.url, vault.url] })
        expect(await read()).to.equal('canary-value-1')
        expect(told).to.have.length(1)
      })

    it('are read from the node that a standby redirects to, with the token', async () => {
      standby.state.misbehave = ({ path }) => data(307, { location: `${vault.url}${path}` })
      const { read } = open({ addresses: [standby.url, vault.url] })
      expect(await read()).to.equal('canary-value-1')
    })

    it('never send the token to a node that is not configured', async () => {
      vault.state.misbehave = ({ path }) =>
        path.includes('/data/') ? data(307, { location: `${standby.url}${path}` }) : undefined
      const { read, told } = open()
      const error = await refused(read())
      expect(error.message).to.equal('Vault redirects to a node that is not configured')
      expect(error.message + error.hint, 'an address of the operator').to.not.include('127.0.0.1')
      expect(told.join()).to.include(standby.url)
      expect(standby.asked).to.deep.equal([])
    })

    it('are refused when nodes redirect in a circle', async () => {
      standby.state.misbehave = ({ path }) => data(307, { location: `${vault.url}${path}` })
      vault.state.misbehave = ({ path }) => data(307, { location: `${standby.url}${path}` })
      const error = await refused(open({ addresses: [standby.url, vault.url] }).read())
      expect(error.message).to.equal('the nodes of Vault redirect to each other')
    })
  })

  it('are asked for again when a node is behind, or asks to wait', async () => {
    for (const [status, headers] of [
      [412, {}],
      [429, { 'retry-after': '0' }],
    ] as const) {
      let left = 2
      vault.state.misbehave = ({ path }) =>
        path.includes('/data/') && left-- > 0 ? { status, headers, body: '{"errors":[]}' } : undefined
      expect(await open().read()).to.equal('canary-value-1')
    }
  })

  it('leave a long wait to the engine', async () => {
    vault.state.misbehave = () => ({ status: 429, headers: { 'retry-after': '30' }, body: '{"errors":[]}' })
    expect(await refused(open().read())).to.include({ isTemporary: true, retryAfterMs: 30_000 })
    expect(vault.asked).to.have.length(1)
  })

  it('are not read from a page that is no answer of Vault', async () => {
    const page = '<html>canary: sign in</html>'
    vault.state.misbehave = () => ({ status: 200, body: page, headers: { 'content-type': 'text/html' } })
    const { message, isTemporary } = await refused(open().read())
    expect({ message, isTemporary }).to.deep.equal({
      message: 'the answer (200) is not from Vault',
      isTemporary: true,
    })
  })

  it('are not waited for without end, and a sign-in that may have arrived is not sent twice', async () => {
    vault.state.misbehave = () => 'nothing'
    expect(await refused(open().read())).to.include({ message: 'Vault does not answer', isTemporary: true })
    expect(vault.asked).to.have.length(1)
  })
})
