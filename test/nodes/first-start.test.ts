import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { expect } from 'chai'
import pg from 'pg'
import { makeKey } from '../../server/access/keys.ts'
import { freePort } from '../http/support/proxies.ts'
import { eventually } from '../support/eventually.ts'
import { createDatabase, describePostgres, type TestDatabase } from '../support/postgres.ts'
import { times } from '../support/random.ts'
import { killCommands } from '../support/server/run-tocsin.ts'
import { startServer } from '../support/server/start-server.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'

describePostgres('two nodes that start together on an empty database', () => {
  let folder: TemporaryFolder
  let database: TestDatabase
  beforeEach(async () => {
    folder = await makeTemporaryFolder()
    database = await createDatabase()
  })
  afterEach(async () => {
    await killCommands()
    await database.drop()
    await folder.remove()
  })

  async function startTwo(more: Readonly<Record<string, string>> = {}, ports: readonly number[] = []) {
    const env = {
      TOCSIN_STORE: database.address,
      TOCSIN_MASTER_KEY: randomBytes(32).toString('base64'),
      ...more,
    }
    return await Promise.all(
      ['one', 'other'].map((name, index) =>
        startServer({
          cwd: folder.path,
          dataDir: join(folder.path, name),
          env: { ...env, TOCSIN_PORT: String(ports[index] ?? 0) },
        }),
      ),
    )
  }
  async function expectOneOfEach(): Promise<void> {
    const client = new pg.Client({ connectionString: database.address })
    await client.connect()
    const { rows } = await client.query(
      `SELECT (SELECT count(*)::int FROM api_keys) AS keys, (SELECT count(*)::int FROM invitations) AS invitations,
         (SELECT count(*)::int FROM organizations) AS organizations, (SELECT count(*)::int FROM providers) AS providers`,
    )
    await client.end()
    expect(rows[0]).to.include({ keys: 1, organizations: 1 })
    expect(rows[0].providers).to.be.greaterThan(20)
    expect(rows[0].invitations).to.be.at.most(1)
  }

  for (let round = 1; round <= times(3); round++)
    it(`make one administrator key, which one of them shows (round ${round})`, async function () {
      this.timeout(120_000)
      const servers = await startTwo()
      await expectOneOfEach()
      const [shown, ...others] = servers.map(({ adminKey }) => adminKey).filter((key) => key !== '')
      expect(others).to.deep.equal([])
      for (const { url } of servers) {
        const reply = await fetch(`${url}/api/organizations`, { headers: { cookie: `Session=${shown}` } })
        expect(reply.status).to.equal(200)
      }
    })

  it('take the administrator key of the configuration', async function () {
    this.timeout(120_000)
    const { value } = makeKey()
    const servers = await startTwo({ TOCSIN_BOOTSTRAP_API_KEY: value })
    await expectOneOfEach()
    expect(servers.map(({ adminKey }) => adminKey)).to.deep.equal(['', ''])
    for (const { url } of servers) {
      const reply = await fetch(`${url}/api/organizations`, { headers: { cookie: `Session=${value}` } })
      expect(reply.status).to.equal(200)
    }
  })

  it('say that they are ready when they know what the other one has created', async function () {
    this.timeout(120_000)
    const { value } = makeKey()
    const ports = await Promise.all([freePort(), freePort()])
    const starting = startTwo({ TOCSIN_BOOTSTRAP_API_KEY: value }, ports)
    const firstAnswers = ports.map(async (port) => {
      const url = `http://127.0.0.1:${port}`
      await eventually('a node that is ready', async () => {
        const reply = await fetch(`${url}/readyz`).catch(() => undefined)
        return reply?.status === 200 ? true : undefined
      })
      const reply = await fetch(`${url}/api/alerts`, {
        method: 'POST',
        headers: { cookie: `Session=${value}`, 'content-type': 'application/json' },
        body: '{"alert_content":"x","alert_provider":"custom","organization_code":"main","alert_type":"t"}',
      })
      return [reply.status, await reply.text()] as const
    })
    for (const [status, text] of await Promise.all(firstAnswers)) expect(status, text).to.equal(201)
    await starting
  })
})
