import { expect } from 'chai'
import { RetryableError, Secret } from '../../core/plugin/index.ts'
import { loopbackEgress } from '../../core/plugin/testing/index.ts'
import type { OpenConnection } from '../../core/ports/connection-store.ts'
import type { SignInStore } from '../../core/ports/sign-in-store.ts'
import type { Egress } from '../../core/ports/egress.ts'
import { createTraffic } from '../../core/skill/http/traffic.ts'
import { createSecretResolver, noSecretSources } from '../../core/skill/connection/secret-resolver.ts'
import { createSignInFlow } from '../../core/skill/sign-in/sign-in-flow.ts'
import {
  createStoredTokens,
  withSignIns,
  interruptedRenewal,
  type StoredTokensOptions,
} from '../../core/skill/sign-in/stored-tokens.ts'
import { checkConnections, type ConnectionChecks } from '../../server/doctor/check-connections.ts'
import { createMetrics } from '../../server/metrics/metrics.ts'
import { openTemporaryStores, type TemporaryStores } from '../support/stores.ts'
import { somebody } from '../support/somebody.ts'
import { failure } from '../skill/fixture.ts'
import { catalogue, consent, grants, startVendor, type Vendor } from './vendor.ts'

describe('the tokens of a sign-in', () => {
  let vendor: Vendor
  let opened: TemporaryStores
  let organizationUuid: string
  const clock = { time: 0, now: () => clock.time, sleep: () => new Promise<never>(() => {}) }

  beforeEach(async () => {
    clock.time = 1_800_000_000_000
    vendor = await startVendor({ now: () => clock.time })
    opened = await openTemporaryStores({ clock: { now: () => clock.time, monotonic: () => 0 } })
    organizationUuid = (await opened.stores.organizations.create({ code: 'acme', name: 'A' }, somebody()))
      .uuid
  })
  afterEach(async () => {
    await vendor.close()
    await opened.dispose()
  })

  const optionsOf = (more: Partial<StoredTokensOptions> = {}): StoredTokensOptions => ({
    egress: loopbackEgress,
    clock,
    traffic: createTraffic(clock),
    store: opened.stores.signIns,
    catalogue,
    isRenewing: true,
    ...more,
  })

  async function create(settings: object = {}): Promise<OpenConnection> {
    const { client_secret: secret, ...plain } = vendor.settings as Record<string, string>
    const secrets = secret === undefined ? {} : { client_secret: new Secret(secret) }
    const given = { name: 'drive', plugin: 'cloud_drive', settings: { ...plain, ...settings }, secrets }
    await opened.stores.connections.create(organizationUuid, given, somebody())
    return await stored()
  }

  const stored = async () => (await opened.stores.connections.open(organizationUuid, 'drive'))!

  async function signIn(settings: object = {}): Promise<OpenConnection> {
    const open = await create(settings)
    const tokens = createStoredTokens(optionsOf())
    const { signIns: store } = opened.stores
    const flow = createSignInFlow({
      ...optionsOf(),
      secrets: createSecretResolver(noSecretSources),
      tokens,
      store,
    })
    const signal = AbortSignal.timeout(30_000)
    const from = { starter: 'key', redirectUri: 'https://tocsin.example/oauth/callback/cloud-drive' }
    const { authorizeUrl } = await flow.begin(open, from, signal)
    const { parameters } = await consent(authorizeUrl)
    const attempt = flow.take(parameters['state']!, 'key', 'cloud_drive')!
    await store.save(open.connection, await flow.exchange(attempt, open, parameters, signal), 1, somebody())
    return await stored()
  }

  const hour = 3_600_000
  const tokensFor = (open: OpenConnection, more: Partial<StoredTokensOptions> = {}) =>
    createStoredTokens(optionsOf(more)).attach(open).tokens!
  const state = async () => (await stored()).connection.signIn!
  const events = async () =>
    (await opened.stores.audit.list('all', {}, { limit: 50 })).data.map(({ action }) => action)

  it('are used until shortly before they expire, then renewed with a new refresh token', async () => {
    const tokens = tokensFor(await signIn())
    const first = await tokens.get()
    clock.time += hour - 5 * 60_000 - 1
    expect(await tokens.get()).to.equal(first)
    clock.time += 1
    const second = await tokens.get()
    expect(second).to.not.equal(first)
    expect(grants(vendor)).to.deep.equal(['authorization_code', 'refresh_token'])
    expect(await state()).to.include({ renewedAt: clock.time, renewingSince: null, isRenewable: true })
    clock.time += hour
    expect(await tokens.get(), 'with the rotated refresh token').to.not.equal(second)
  })

  it('are renewed once for 50 concurrent calls', async () => {
    const tokens = tokensFor(await signIn())
    clock.time += hour
    const all = await Promise.all(Array.from({ length: 50 }, () => tokens.get()))
    expect(new Set(all).size).to.equal(1)
    expect(grants(vendor)).to.deep.equal(['authorization_code', 'refresh_token'])
  })

  it('are renewed after a 401, but not again within 10 seconds', async () => {
    const tokens = tokensFor(await signIn())
    const first = await tokens.get()
    clock.time += 10_000
    const second = await tokens.replace(first)
    expect(second).to.be.a('string').and.not.equal(first)
    expect(await tokens.replace(first), 'of a call that still had the old one').to.equal(second)
    expect(await tokens.replace(second!)).to.equal(undefined)
    expect(grants(vendor)).to.have.length(2)
  })

  it('are on disk before a renewed one is used', async () => {
    const open = await signIn()
    const { signIns } = opened.stores
    let before: string | undefined
    const store: Pick<SignInStore, 'open' | 'beginRenewal'> & Partial<SignInStore> = {
      open: (of) => signIns.open(of),
      beginRenewal: (...given) => signIns.beginRenewal(...given),
      endRenewal: async () => {
        before = (await signIns.open(open.connection))?.access?.reveal()
        throw new Error('the disk is full')
      },
    }
    clock.time += hour
    const tokens = tokensFor(open, { store: store as SignInStore })
    expect(await failure(tokens.get())).to.have.property('message', 'the disk is full')
    expect(before).to.be.a('string')
    expect((await state()).renewingSince).to.equal(clock.time)
    // The answer is still in memory, so it is stored at the next use.
    Object.assign(store, { endRenewal: signIns.endRenewal.bind(signIns) })
    expect(await tokens.get()).to.equal((await signIns.open(open.connection))?.access?.reveal())
    expect(grants(vendor)).to.have.length(2)
  })

  const failing = (fail: () => Promise<never>): Egress => ({
    send: (request) => (request.method === 'POST' ? fail() : loopbackEgress.send(request)),
  })
  const lost = failing(() =>
    Promise.reject(new RetryableError('network_error', 'reset', { details: { code: 'ECONNRESET' } })),
  )

  it('need a new sign-in after the answer to a renewal was lost', async () => {
    const open = await signIn()
    clock.time += hour
    const tokens = tokensFor(open, { egress: lost })
    const error = await failure(tokens.get())
    expect(error).to.include({ code: 'sign_in_needed' })
    expect(error.message).to.include('the answer to a token renewal was lost')
    expect((await state()).ended).to.deep.include({ at: clock.time })
    expect(await events()).to.include('connection.sign_in_ended')
    expect((await opened.stores.signIns.open(open.connection))?.refresh, 'deleted').to.equal(undefined)
    expect(await failure(tokensFor(open).get())).to.include({ code: 'sign_in_needed' })
    expect(grants(vendor), 'asked no more').to.deep.equal(['authorization_code'])
  })

  it('are renewed again after a lost answer if the vendor allows it', async () => {
    const open = await signIn({ refresh_token: 'reusable' })
    clock.time += hour
    expect(await failure(tokensFor(open, { egress: lost }).get())).to.include({ code: 'network_error' })
    expect(await tokensFor(open).get()).to.be.a('string')
  })

  it('stay valid where the renewal was certainly not sent, or refused for a while', async () => {
    const open = await signIn()
    clock.time += hour
    const refused = failing(() =>
      Promise.reject(new RetryableError('network_error', 'no', { details: { code: 'ECONNREFUSED' } })),
    )
    expect(await failure(tokensFor(open, { egress: refused }).get())).to.include({ code: 'network_error' })
    for (const status of [429, 500, 503]) {
      vendor.failNext({ status, text: '<html><h1>Oops</h1></html>' })
      expect(await failure(tokensFor(open).get()), String(status)).to.include({ code: `http_${status}` })
    }
    expect((await state()).ended).to.equal(null)
    expect(await tokensFor(open).get()).to.be.a('string')
  })

  it('need a new sign-in after a gateway or an HTML page answered a renewal', async () => {
    const open = await signIn()
    clock.time += hour
    vendor.failNext({ status: 200, headers: { 'content-type': 'text/html' }, text: '<script>x</script>' })
    expect(await failure(tokensFor(open).get())).to.include({ code: 'sign_in_needed' })
  })

  it('are used until they expire while the vendor cannot renew them', async () => {
    const open = await signIn()
    const first = await tokensFor(open).get()
    clock.time += hour - 1_000
    vendor.failNext({ status: 503, text: '' })
    expect(await tokensFor(open).get()).to.equal(first)
  })

  it('need a new sign-in when the vendor refuses the refresh token', async () => {
    const open = await signIn()
    vendor.controls.signIns.revokeAll()
    clock.time += hour
    const error = await failure(tokensFor(open).get())
    expect(error).to.include({ code: 'sign_in_needed' })
    expect(error.message).to.include('invalid_grant')
    expect((await state()).ended?.reason).to.equal('the vendor refused to renew the tokens (invalid_grant)')
  })

  it('stay valid when the vendor refuses the client, with one request in 10 seconds', async () => {
    const open = await signIn()
    clock.time += hour
    vendor.failNext({ status: 401, json: { error: 'invalid_client' } }, 5)
    const tokens = tokensFor(open)
    for (const _ of [1, 2]) {
      const error = await failure(tokens.get())
      expect(error).to.include({ code: 'token_refused' })
      expect(error.hint).to.include('client secret')
    }
    expect(grants(vendor)).to.have.length(2)
    vendor.stopFailing()
    clock.time += 10_000
    expect(await tokens.get()).to.be.a('string')
  })

  it('need a new sign-in if the process ended during a renewal', async () => {
    const open = await signIn()
    clock.time += hour
    const { id } = await state()
    expect(await opened.stores.signIns.beginRenewal(open.connection, id)).to.equal(true)
    expect(await opened.stores.signIns.endInterrupted(interruptedRenewal)).to.equal(1)
    expect(await failure(tokensFor(await stored()).get())).to.include({ code: 'sign_in_needed' })
    expect(await opened.stores.signIns.endInterrupted(interruptedRenewal)).to.equal(0)
  })

  it('are not used for another client or address', async () => {
    const open = await signIn()
    const { stores } = opened
    const change = { settings: { ...open.connection.settings, base_url: 'https://evil.example' } }
    await stores.connections.update(organizationUuid, open.connection.uuid, change, undefined, somebody())
    const error = await failure(tokensFor(await stored()).get())
    expect(error.message).to.include('the client or an address has changed')
  })

  it('are only read beside the server', async () => {
    const open = await signIn()
    const tokens = tokensFor(open, { isRenewing: false })
    const first = await tokens.get()
    clock.time += hour - 1_000
    expect(await tokens.get()).to.equal(first)
    expect(await tokens.replace(first)).to.equal(undefined)
    clock.time += 1_000
    expect(await failure(tokens.get())).to.include({ code: 'sign_in_expired' })
    expect(grants(vendor)).to.have.length(1)
  })

  it('are checked by `tocsin doctor`, which renews none', async () => {
    const egress = { ...loopbackEgress, close() {} }
    const check = async () => {
      const tokens = createStoredTokens(optionsOf({ isRenewing: false }))
      const secrets = withSignIns(createSecretResolver(noSecretSources), tokens)
      const whole = { stores: opened.stores, catalogue, egress, secrets }
      return (await checkConnections(whole as unknown as ConnectionChecks))[0]!
    }
    await create()
    expect(await check()).to.deep.include({ status: 'problem', check: 'connection acme/drive' })
    expect((await check()).message).to.include('needs a sign-in: not signed in yet')
    await opened.stores.connections.remove(
      organizationUuid,
      (await stored()).connection.uuid,
      undefined,
      somebody(),
    )
    await signIn()
    expect(await check()).to.include({
      status: 'ok',
      message: 'the credentials work (ada@example.com)',
    })
    clock.time += hour
    expect((await check()).message).to.include('only the server renews the expired access token')
    expect(grants(vendor)).to.have.length(1)
  })

  it('are counted in the metrics while somebody must sign in', async () => {
    const metrics = createMetrics({ signInPlugins: new Set(['cloud_drive']) })
    const value = async () =>
      /^tocsin_connections_sign_in_needed (\d+)$/m.exec(await metrics.text(opened.stores, clock.time))?.[1]
    try {
      expect(await value()).to.equal('0')
      await create()
      expect(await value()).to.equal('1')
      const { uuid } = (await stored()).connection
      await opened.stores.connections.update(
        organizationUuid,
        uuid,
        { enabled: false },
        undefined,
        somebody(),
      )
      expect(await value(), 'nobody needs it').to.equal('0')
      await opened.stores.connections.remove(organizationUuid, uuid, undefined, somebody())
      await signIn()
      expect(await value()).to.equal('0')
    } finally {
      metrics.close()
    }
  })

  it('never show in an error that repeats them', async () => {
    const open = await signIn()
    const { refresh } = (await opened.stores.signIns.open(open.connection))!
    clock.time += hour
    const echo = { error: 'invalid_client', error_description: `bad token ${refresh!.reveal()}` }
    vendor.failNext({ status: 400, json: echo })
    const error = await failure(tokensFor(open).get())
    expect(`${error.message} ${error.stack}`).to.not.include(refresh!.reveal())
  })
})
