import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect } from 'chai'
import pg from 'pg'
import { createDatabase, describePostgres } from '../support/postgres.ts'
import { eventually } from '../support/eventually.ts'

describePostgres('PostgreSQL for tests', () => {
  it('copies a template, which is made once', async () => {
    let made = 0
    const template = {
      name: 'harness',
      async make(address: string) {
        made++
        await query(address, 'CREATE TABLE things (name text); ')
        await query(address, "INSERT INTO things VALUES ('one')")
      },
    }
    const [one, other] = await Promise.all([createDatabase(template), createDatabase(template)])
    await query(one.address, "INSERT INTO things VALUES ('two')")
    expect(made).to.equal(1)
    expect(await query(one.address, 'SELECT name FROM things')).to.have.length(2)
    expect(await query(other.tcpAddress, 'SELECT name FROM things')).to.have.length(1)
    await one.drop()
    await other.drop()
  })

  it('sorts texts by language, as most installations do', async function () {
    if (process.env['TOCSIN_TEST_POSTGRES']) this.skip()
    const { address, drop } = await createDatabase()
    const rows = await query(address, "SELECT x FROM (VALUES ('a'), ('B'), ('c')) v (x) ORDER BY x")
    expect(rows.map(({ x }) => x)).to.deep.equal(['a', 'B', 'c'])
    await drop()
  })

  it('ends with the process of the tests, even when that is killed', async function () {
    if (process.env['TOCSIN_TEST_POSTGRES']) this.skip()
    const child = spawn(process.execPath, [join(import.meta.dirname, 'children/starts-postgres.ts')], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
    const { pid, folder } = JSON.parse(line) as { pid: number; folder: string }
    expect(process.kill(pid, 0)).to.equal(true)
    child.kill('SIGKILL')
    await eventually('the end of the server', () => (isRunning(pid) ? undefined : true))
    await eventually('its folder to be deleted', () => (existsSync(folder) ? undefined : true))
  })
})

async function query(address: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: address })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows
  } finally {
    await client.end()
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
