import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect } from 'chai'
import { parsePostgresAddress } from '../../server/postgres/driver/address.ts'
import { defaultSettings } from '../../server/postgres/driver/connection.ts'
import { Connector } from '../../server/postgres/driver/connector.ts'
import { connectTo } from '../../server/postgres/move/postgres-end.ts'
import { PostgresDatabase } from '../../server/postgres/postgres-database.ts'
import { refusePooler } from '../../server/postgres/refuse-pooler.ts'
import { eventually } from '../support/eventually.ts'
import { createDatabase, describePostgres, type TestDatabase } from '../support/postgres.ts'
import { expectRejection } from '../contract/fixture.ts'
import { noteUntested } from '../support/untested.ts'

describePostgres('PgBouncer between Tocsin and PostgreSQL', () => {
  let database: TestDatabase
  let folder: string | undefined
  let pooler: ChildProcess | undefined
  before(async function () {
    try {
      execFileSync('pgbouncer', ['--version'], { stdio: 'pipe' })
    } catch {
      noteUntested('a pooler: there is no pgbouncer')
      return this.skip()
    }
    database = await createDatabase()
  })
  afterEach(async () => {
    if (pooler?.exitCode === null) {
      pooler.kill('SIGKILL')
      await once(pooler, 'exit')
    }
    if (folder !== undefined) rmSync(folder, { recursive: true })
    folder = undefined
  })
  after(() => database?.drop())

  async function start(mode: 'session' | 'transaction') {
    const listener = createServer().listen(0, '127.0.0.1')
    await once(listener, 'listening')
    const { port } = listener.address() as AddressInfo
    listener.close()
    const { hostname, port: behind, username, password, pathname } = new URL(database.tcpAddress)
    folder = mkdtempSync('/tmp/tocsin-pooler-')
    const file = join(folder, 'pgbouncer.ini')
    writeFileSync(
      file,
      `[databases]
* = host=${hostname} port=${behind} user=${username} password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
ignore_startup_parameters = extra_float_digits
`,
    )
    // It does not run as root, and reads its file before it gives up those rights.
    const user = process.getuid?.() === 0 ? ['--user=nobody'] : []
    pooler = spawn('pgbouncer', [...user, file], { stdio: 'ignore' })
    const address = parsePostgresAddress(`postgres://${username}@127.0.0.1:${port}${pathname}`)
    const connector = new Connector(address, { ...defaultSettings, texts: new PostgresDatabase().texts })
    await eventually('the pooler', async () => {
      const session = await connector.openSession().catch(() => undefined)
      await session?.end()
      return session
    })
    return { address, connector }
  }

  it('is refused if it pools transactions', async () => {
    const { address, connector } = await start('transaction')
    await expectRejection(refusePooler(connector), 'ConflictError', 'database_unsupported')
    await expectRejection(connectTo(address), 'ConflictError', 'database_unsupported')
  })

  it('is accepted if it pools sessions', async () => {
    const { address, connector } = await start('session')
    await refusePooler(connector)
    await (await connectTo(address)).close()
    expect(pooler?.exitCode).to.equal(null)
  })
})
