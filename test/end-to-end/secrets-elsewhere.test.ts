import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { examine } from '../../server/doctor/examine.ts'
import { serveHttp, type TestServer } from '../egress/servers.ts'
import { serveVault } from '../secrets/support/vault-server.ts'
import { expectNoSecrets } from '../support/server/expect-no-secrets.ts'
import { startTestTocsin, type TestTocsin } from '../support/server/test-tocsin.ts'

const ask = `apiVersion: tocsin/v1
name: ask
on: { alert: { type: ask } }
steps:
  - id: ask
    uses: http.get
    connection: tower
    with: { path: /ask }
`

describe('secrets in Vault, with skills in threads', function () {
  let vault: Awaited<ReturnType<typeof serveVault>>
  let tower: TestServer
  let tocsin: TestTocsin
  /** The secret that the other system accepts, and the secrets it received. */
  let accepted: string
  let env: Record<string, string>
  let repeated = 'canary-key-1'
  const given: (string | undefined)[] = []

  before(async () => {
    vault = await serveVault()
    accepted = 'canary-key-1'
    vault.secrets.set('tocsin/main/tower', { key: accepted })
    tower = await serveHttp(({ headers }, response) => {
      given.push(headers.authorization)
      response.statusCode = headers.authorization === accepted ? 200 : 401
      // Some systems repeat the received secret.
      response.end(JSON.stringify({ echo: `${headers.authorization} ${repeated}` }))
    })
    env = {
      TOCSIN_WORKERS: '1',
      TOCSIN_ALLOW_PRIVATE_EGRESS: new URL(tower.url).host,
      TOCSIN_VAULT_ADDRESS: vault.url,
      TOCSIN_VAULT_ROLE_ID: 'role-id-0001',
      TOCSIN_VAULT_SECRET_ID: 'secret-id-0001',
    }
    tocsin = await startTestTocsin({ inProcess: true, playbooks: { ask }, env })
    const settings = { base_url: tower.url, header_value: { reference: 'vault:tower#key' } }
    const body = { organization_code: 'main', name: 'tower', plugin: 'http', settings }
    const { status, body: made } = await tocsin.call('/connections', { body })
    expect(status, JSON.stringify(made)).to.equal(201)
  })
  after(async () => {
    await expectNoSecrets(tocsin.folder, ['canary-key-1', 'canary-key-2', 'secret-id-0001', 'issued-token-1'])
    await tocsin?.close()
    await Promise.all([vault, tower].map((server) => server?.close()))
  })

  async function investigate(): Promise<{ readonly status: number; readonly steps: string }> {
    const { body } = await tocsin.investigate({ type: 'ask', content: 'x' })
    const runs = (await tocsin.call('/runs?limit=1&sort=-created_at')).body.data as { run_uuid: string }[]
    const steps = await tocsin.call(`/runs/${runs[0]?.run_uuid}/steps`)
    return { status: body.investigation_status, steps: JSON.stringify(steps.body) }
  }

  it('are used by skills, and hidden if the other system repeats them', async () => {
    const { status, steps } = await investigate()
    expect(status).to.equal(15)
    expect(given).to.deep.equal(['canary-key-1'])
    expect(steps).to.include('[redacted]').and.not.include('canary')
  })

  it('are used with their new value at the next call after a rotation, without a restart', async () => {
    accepted = 'canary-key-2'
    vault.secrets.set('tocsin/main/tower', { key: accepted })
    given.length = 0
    const { status, steps } = await investigate()
    expect(status).to.equal(15)
    expect(given, 'refused, read again, and called again').to.deep.equal(['canary-key-1', 'canary-key-2'])
    expect(steps).to.include('[redacted]').and.not.include('canary')
  })

  it('are reported by their reference if they are gone, also by doctor', async () => {
    vault.secrets.set('tocsin/main/tower', null)
    const { body } = await tocsin.call('/connections/tower/authenticate', { method: 'POST', body: {} })
    expect(body).to.include({ code: 'secret_unresolved' })
    expect(JSON.stringify(body))
      .to.include('cannot read the secret vault:tower#key: its newest version is deleted')
      .and.not.include(vault.url)
    const folders = {
      TOCSIN_DATA_DIR: join(tocsin.folder, 'data'),
      TOCSIN_PLAYBOOKS_DIR: tocsin.playbooksDir,
      TOCSIN_PORT: '0',
    }
    const findings = await examine({ ...env, ...folders }, { online: true })
    expect(findings.find(({ check }) => check === 'connection main/tower')).to.deep.equal({
      check: 'connection main/tower',
      status: 'problem',
      message: "connection 'tower': cannot read the secret vault:tower#key: its newest version is deleted",
      hint: 'write a new version, or restore the deleted one',
    })
    vault.secrets.set('tocsin/main/tower', { key: accepted })
  })

  it('can include the master key of the server', async () => {
    // A new process has no cached values.
    repeated = ''
    const file = join(tocsin.folder, 'data/master.key')
    vault.secrets.set('server/keys', { master: (await readFile(file, 'utf8')).trim() })
    await tocsin.server.stop()
    await rm(file)
    const refused = await tocsin.start({ env: { TOCSIN_MASTER_KEY: 'vault:server/keys#other' } }).then(
      () => 'it has started',
      (error: Error) => error.message,
    )
    expect(refused).to.include(
      "TOCSIN_MASTER_KEY refers to vault:server/keys#other, which cannot be read: the secret has no key 'other'",
    )
    await tocsin.start({ env: { TOCSIN_MASTER_KEY: 'vault:server/keys#master' } })
    expect((await investigate()).status).to.equal(15)
  })
})
