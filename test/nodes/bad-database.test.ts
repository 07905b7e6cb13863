import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect } from 'chai'
import pg from 'pg'
import { eventually } from '../support/eventually.ts'
import { describePostgres } from '../support/postgres.ts'
import { PostgresServer } from '../support/postgres/server.ts'
import { killCommands, startTocsinCommand, type RunningCommand } from '../support/server/run-tocsin.ts'
import { startServer, type RunningServer } from '../support/server/start-server.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'

const masterKey = () => randomBytes(32).toString('base64')

async function freePort(): Promise<number> {
  const listener = createServer().listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const { port } = listener.address() as AddressInfo
  listener.close()
  await once(listener, 'close')
  return port
}

describePostgres('a node whose database is not as it should be', () => {
  let folder: TemporaryFolder
  let server: PostgresServer
  /** Name of the database of the test. */
  let database: string
  let nodes = 0
  before(async () => {
    folder = await makeTemporaryFolder()
    const settings = ['wal_level = replica', 'max_wal_senders = 5', 'hot_standby = on']
    server = await PostgresServer.start({ settings })
  })
  beforeEach(async () => {
    database = `database_${++nodes}`
    await server.query(`CREATE DATABASE ${database}`)
  })
  afterEach(killCommands)
  after(async () => {
    await server?.dispose()
    await folder?.remove()
  })
  const address = (over?: 'tcp') => server.address(database, over)
  async function query(sql: string): Promise<readonly Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: address() })
    await client.connect()
    try {
      return (await client.query<Record<string, unknown>>(sql)).rows
    } finally {
      await client.end()
    }
  }

  const options = (store: string, env: Readonly<Record<string, string>>) => {
    const dataDir = join(folder.path, `node-${nodes++}`)
    return {
      cwd: folder.path,
      dataDir,
      env: {
        TOCSIN_PORT: '0',
        TOCSIN_LOG_LEVEL: 'error',
        TOCSIN_WORKERS: '0',
        TOCSIN_DATA_DIR: dataDir,
        TOCSIN_STORE: store,
        ...env,
      },
    }
  }
  /** One that may not come up. */
  async function begin(store: string, env: Readonly<Record<string, string>> = {}) {
    const port = await freePort()
    const whole = { TOCSIN_PORT: String(port), TOCSIN_MASTER_KEY: masterKey(), ...env }
    const command = startTocsinCommand(['serve'], options(store, whole))
    return { command, url: `http://127.0.0.1:${port}` }
  }
  const start = (env: Readonly<Record<string, string>>, adminKey?: string): Promise<RunningServer> =>
    startServer({
      ...options(address(), env),
      ...(adminKey !== undefined && { adminKey }),
    })

  interface Problem {
    readonly status: number
    readonly detail: string
    readonly hint: string
  }
  const ask = async (url: string, path: string, method = 'GET'): Promise<Problem | undefined> => {
    const reply = await fetch(`${url}${path}`, { method }).catch(() => undefined)
    if (reply === undefined) return undefined
    const { detail = '', hint = '' } = (await reply.json()) as Partial<Problem>
    return { status: reply.status, detail, hint }
  }
  const isReady = (url: string) =>
    eventually('a node that is ready', async () => (await ask(url, '/readyz'))?.status === 200 || undefined)
  async function expectEnd(command: RunningCommand, ...texts: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await command.ended
    expect(code).to.not.equal(0)
    for (const text of texts) expect(stdout + stderr).to.include(text)
    return stdout + stderr
  }

  it('waits for one that is not there, says why it is not ready, and acknowledges nothing', async () => {
    await server.stop()
    const { command, url } = await begin(address('tcp'))
    const refusal = await eventually('an answer', () => ask(url, '/readyz'))
    expect(refusal.status).to.equal(503)
    expect(refusal.detail).to.include('PostgreSQL is unavailable').and.include('ECONNREFUSED')
    expect(refusal.hint).to.include('Start PostgreSQL')
    expect(JSON.stringify(refusal)).to.not.include(server.password)
    expect((await ask(url, '/healthz'))?.status).to.equal(200)
    const refused = await ask(url, '/api/alerts', 'POST')
    expect(refused?.status).to.equal(503)
    expect(JSON.stringify(refused), 'for strangers').to.not.match(/ECONN|PostgreSQL|TOCSIN_STORE/)
    await server.resume()
    await isReady(url)
    await command.hasPrinted(/toc_\w{12}_/)
  })

  it('ends at a wrong password, an unknown user and an unknown database, and says so', async () => {
    const right = new URL(address('tcp'))
    const changes: readonly (readonly [Partial<URL>, string])[] = [
      [{ password: 'wr0ng' }, 'Check user and password'],
      [{ username: 'unknown-user' }, 'Check user and password'],
      [{ pathname: '/nowhere' }, 'Create the database'],
    ]
    for (const [change, hint] of changes) {
      const { command } = await begin(String(Object.assign(new URL(right), change)))
      const said = await expectEnd(command, 'PostgreSQL is unavailable', hint)
      expect(said).to.not.include('wr0ng').and.not.include(server.password)
    }
  })

  it('reads a new password from the file of its address, without a restart', async () => {
    const user = `user_${nodes}`
    const given = new URL(address('tcp'))
    given.username = user
    const file = join(folder.path, 'store')
    const setPassword = async (password: string): Promise<void> => {
      given.password = password
      await writeFile(file, String(given))
      await query(`ALTER ROLE ${user} PASSWORD '${password}'`)
    }
    await query(`CREATE ROLE ${user} LOGIN`)
    await query(`ALTER DATABASE ${database} OWNER TO ${user}`)
    await setPassword('first')
    const node = await startServer(options(`file:${file}`, { TOCSIN_MASTER_KEY: masterKey() }))
    try {
      await setPassword('second')
      await query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${user}'`)
      const create = (code: string) => node.call('/organizations', { body: { code, name: code } })
      await eventually('a write', async () => (await create('acme')).status === 201 || undefined)
      await setPassword('third')
      await query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${user}'`)
      await eventually('another one', async () => (await create('other')).status === 201 || undefined)
      await isReady(node.url)
    } finally {
      await node.stop('SIGKILL')
    }
  })

  it('waits for a read-only replica to be promoted', async () => {
    const replica = await PostgresServer.standbyOf(server)
    try {
      const { url } = await begin(replica.address(database))
      const refusal = await eventually('an answer', () => ask(url, '/readyz'))
      expect(refusal.status).to.equal(503)
      expect(refusal.hint).to.include('read-only replica')
      await replica.promote()
      await isReady(url)
    } finally {
      await killCommands()
      await replica.dispose()
    }
  })

  it('ends if the others have another master key, or if it has none', async () => {
    const key = masterKey()
    const first = await start({ TOCSIN_MASTER_KEY: key })
    const other = await begin(address())
    await expectEnd(other.command, 'master key', 'Set TOCSIN_MASTER_KEY to the key of the other nodes')
    const without = startTocsinCommand(['serve'], options(address(), {}))
    await expectEnd(without, 'the database has a master key, but this node has none')
    expect((await ask(first.url, '/readyz'))?.status).to.equal(200)
    const second = await start({ TOCSIN_MASTER_KEY: key }, first.adminKey)
    expect((await second.call('/nodes')).body.data).to.have.length(2)
  })

  it('ends if a newer node has upgraded the database beyond its version, and changes nothing', async () => {
    const env = { TOCSIN_MASTER_KEY: masterKey() }
    const running = await start(env)
    await query(`UPDATE tocsin_schema SET version = version + 1, oldest = version + 1, program = '99.0.0'`)
    const before = await query('SELECT * FROM tocsin_schema')
    const { command } = await begin(address(), env)
    await expectEnd(command, 'but this Tocsin supports versions up to', '99.0.0')
    expect(await query('SELECT * FROM tocsin_schema')).to.deep.equal(before)
    // Migrations are additive: nodes that run go on.
    expect((await ask(running.url, '/readyz'))?.status).to.equal(200)
    expect((await running.call('/providers', { body: { code: 'new', name: 'New' } })).status).to.equal(201)
  })

  it('works beside a node of a future version, of which it does not know everything', async () => {
    const running = await start({ TOCSIN_MASTER_KEY: masterKey() })
    const report = {
      role: 'dreaming',
      runs: 1,
      queued: 0,
      cpuPercent: 1,
      memoryBytes: 1,
      lastError: null,
      moons: 3,
    }
    await query(
      `INSERT INTO nodes (id, name, program, started_at, renewed_at, peers, report)
       VALUES ('01999999-0000-7000-8000-000000000000', 'future:1', '99.0.0', 1, 1, '[]', '${JSON.stringify(report)}');
       INSERT INTO node_jobs (job, node) VALUES ('dreams', '01999999-0000-7000-8000-000000000000')`,
    )
    const packets = [
      { from: 'f', signals: [{ kind: 'dreamt', of: 'sheep' }, { kind: 'configuration_changed' }] },
      { version: 2 },
    ]
    for (const packet of packets)
      await query(`SELECT pg_notify('tocsin', '${JSON.stringify(packet)}'), pg_notify('tocsin', '?')`)
    const listed = (await running.call('/nodes')).body.data
    expect(listed.map(({ version }: { version: string }) => version)).to.include('99.0.0')
    expect((await ask(running.url, '/readyz'))?.status).to.equal(200)
    // It renews no lease, so it is removed like any other.
    await eventually('its removal', async () => {
      const [row] = await query(`SELECT gone_why FROM nodes WHERE program = '99.0.0'`)
      return row?.['gone_why'] === 'lost' || undefined
    })
    expect((await ask(running.url, '/readyz'))?.status).to.equal(200)
  })

  it('shares it with another cluster in another schema, and they see nothing of each other', async () => {
    await query('CREATE SCHEMA one; CREATE SCHEMA other')
    const servers = await Promise.all(
      ['one', 'other'].map((schema) =>
        startServer({
          ...options(`${address('tcp')}?schema=${schema}`, {
            TOCSIN_MASTER_KEY: masterKey(),
          }),
        }),
      ),
    )
    const body = {
      alert_provider: 'custom',
      organization_code: 'main',
      alert_type: 'x',
      alert_content: 'x',
    }
    const [one, other] = servers as [RunningServer, RunningServer]
    expect((await one.call('/alerts', { body })).status).to.equal(201)
    expect((await other.call('/alerts')).body.total).to.equal(0)
    expect((await other.call('/nodes')).body.data).to.have.length(1)
    expect((await one.call('/alerts', { key: other.adminKey })).status).to.equal(401)
    for (const { url } of servers) expect((await ask(url, '/readyz'))?.status).to.equal(200)
  })
})
