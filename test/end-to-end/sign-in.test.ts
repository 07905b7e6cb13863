import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'
import { expect } from 'chai'
import { apiClient } from '../../cli/api-client.ts'
import { connect } from '../../cli/sandbox/connect.ts'
import { writeDrive } from '../sign-in/declared-drive.ts'
import { clientSecret, consent, grants, startVendor, type Vendor } from '../sign-in/vendor.ts'
import { eventually } from '../support/eventually.ts'
import { makeRandom, seed, times } from '../support/random.ts'
import { expectNoSecrets } from '../support/server/expect-no-secrets.ts'
import { makeTestTocsin, type TestTocsin } from '../support/server/test-tocsin.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'

describe(`a signed-in connection of a server with a skill thread (seed ${seed})`, function () {
  this.timeout(times(90_000))
  let vendor: Vendor
  let plugin: TemporaryFolder
  let tocsin: TestTocsin

  before(async () => {
    vendor = await startVendor()
    plugin = await makeTemporaryFolder()
    tocsin = await makeTestTocsin({
      env: {
        TOCSIN_PLUGINS: writeDrive(plugin.path),
        TOCSIN_ALLOW_PRIVATE_EGRESS: new URL(vendor.url).host,
        TOCSIN_WORKERS: '1',
      },
    })
    await tocsin.start()
    const settings = { ...vendor.settings, login_url: vendor.url }
    const body = { organization_code: 'main', name: 'drive', plugin: 'cloud_drive', settings }
    const made = await tocsin.call('/connections', { body })
    expect(made.status, JSON.stringify(made.body)).to.equal(201)
  })
  after(async () => {
    await tocsin.close()
    await vendor.close()
    await plugin.remove()
  })

  async function signIn(): Promise<void> {
    const started = await tocsin.call('/connections/drive/sign-in', { method: 'POST' })
    const { location, parameters } = await consent(started.body.authorize_url)
    expect(`${location.origin}${location.pathname}`).to.equal(started.body.redirect_uri)
    const body = { plugin: location.pathname.split('/').at(-1), ...parameters }
    const done = await tocsin.call('/oauth/callback', { body })
    expect(done.status, JSON.stringify(done.body)).to.equal(200)
    expect(done.body.sign_in.needed).to.equal(null)
  }

  const count = async () => {
    const made = await tocsin.call('/skills/cloud_drive.count_files/runs', {
      body: { organization_code: 'main', input: {} },
    })
    expect(made.status, JSON.stringify(made.body)).to.be.oneOf([200, 201])
    return made.body.run_uuid as string
  }
  const ended = (uuid: string) =>
    eventually('the end of a run', async () => {
      const { body } = await tocsin.call(`/runs/${uuid}`)
      return body.ended_at === null ? undefined : body
    })
  const needed = async () => (await tocsin.call('/connections/drive')).body.sign_in.needed

  /** Lets the stored access token expire while no server runs. */
  async function expire(): Promise<void> {
    const database = new Sqlite(join(tocsin.folder, 'data/tocsin.db'))
    database
      .prepare(`UPDATE connections SET sign_in = json_set(sign_in, '$.renewAt', 1, '$.expiresAt', 1)`)
      .run()
    database.close()
  }

  it('fails with a hint before the sign-in, and works after it', async () => {
    const failed = await ended(await count())
    expect(failed.error.code).to.equal('sign_in_needed')
    expect(failed.error.hint).to.include('signs in on the page of the connection')
    await signIn()
    expect((await ended(await count())).status).to.equal('completed')
    const { body } = await tocsin.call('/connections/drive/authenticate', { method: 'POST' })
    expect(body.account).to.equal('ada@example.com')
  })

  it('renews an expired token once for concurrent calls', async () => {
    await tocsin.server.stop()
    await expire()
    await tocsin.start()
    const runs = await Promise.all(Array.from({ length: 20 }, count))
    for (const uuid of runs) expect((await ended(uuid)).status).to.equal('completed')
    expect(grants(vendor)).to.deep.equal(['authorization_code', 'refresh_token'])
  })

  it('is created and signed in by `tocsin sandbox --connect`, again after a restart of the sandbox', async () => {
    const api = apiClient(`${tocsin.server.url}/api`, tocsin.server.adminKey)
    const settings = { ...vendor.settings, login_url: vendor.url }
    const sandbox = { plugin: 'cloud_drive', running: { ...vendor, settings } }
    const options = { organization: 'main', nameOf: () => 'sandbox' }
    expect(await connect(api, sandbox, options)).to.equal('sandbox  made, its credentials work')
    vendor.controls.signIns.revokeAll()
    expect(await connect(api, sandbox, options)).to.equal('sandbox  changed, its credentials work')
    await tocsin.call('/connections/sandbox', { method: 'DELETE', headers: { 'if-match': '*' } })
    await signIn()
  })

  it('never sends a refresh token again after a kill -9, and asks for a new sign-in', async () => {
    const random = makeRandom(seed)
    // The first kill always hits between the renewal at the vendor and the write of its answer.
    for (const delayMs of [60_000, ...Array.from({ length: times(1) - 1 }, () => random() * 30)]) {
      await tocsin.server.stop()
      await expire()
      await tocsin.start()
      const before = grants(vendor).length
      vendor.controls.delayMs = delayMs
      await count()
      await eventually('the renewal', () => (grants(vendor).length > before ? true : undefined))
      await sleep(random() * 30)
      await tocsin.server.stop('SIGKILL')
      vendor.controls.delayMs = 0
      await tocsin.start()
      const reason = (await needed())?.reason
      if (delayMs === 60_000) expect(reason).to.include('the server stopped during a token renewal')
      const run = await ended(await count())
      expect(run.status).to.equal(reason === undefined ? 'completed' : 'failed')
      expect(grants(vendor)).to.have.length(before + 1)
      expect(used(vendor), 'a refresh token sent twice').to.equal(false)
      if (reason !== undefined) await signIn()
      expect((await ended(await count())).status).to.equal('completed')
    }
  })

  it('keeps no token in readable form', async () => {
    const bodies = vendor.requests.map(({ body }) => new URLSearchParams(body))
    const inForms = bodies.flatMap((form) =>
      ['code', 'code_verifier', 'refresh_token'].flatMap((name) => form.get(name) ?? []),
    )
    const bearers = vendor.requests.flatMap(({ headers }) => headers['authorization']?.split(' ')[1] ?? [])
    const secrets = [...new Set([...inForms, ...bearers, clientSecret])]
    expect(secrets).to.have.length.above(6)
    await expectNoSecrets(tocsin.folder, secrets)
  })
})

/** Whether a refresh token was sent more than once. */
function used({ requests }: Vendor): boolean {
  const sent = requests.flatMap(({ body }) => new URLSearchParams(body).get('refresh_token') ?? [])
  return new Set(sent).size < sent.length
}
