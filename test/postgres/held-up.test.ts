import { expect } from 'chai'
import type { UnavailableError } from '../../core/errors/errors.ts'
import { commitTable } from '../../server/postgres/driver/commit-marks.ts'
import { findHoldUp } from '../../server/postgres/probe.ts'
import { eventually } from '../support/eventually.ts'
import { describePostgres } from '../support/postgres.ts'
import { PostgresServer } from '../support/postgres/server.ts'
import { openDriver, run, type Driver } from './support/driver.ts'

/** Shorter than those of a node. */
const limits = {
  settings: { statementTimeoutMs: 1_000, lockTimeoutMs: 300, idleTimeoutMs: 60_000 },
  commits: { patienceMs: 1_500, findHoldUp },
}

const refusal = (written: Promise<unknown>): Promise<UnavailableError> =>
  written.then(
    () => expect.fail('expected a refusal'),
    (error: unknown) => error as UnavailableError,
  )

describePostgres('a write that PostgreSQL holds up', () => {
  let server: PostgresServer
  let node: Driver
  let other: Driver

  beforeEach(async function () {
    this.timeout(60_000)
    server = await PostgresServer.start({ settings: ['wal_level = replica', 'max_wal_senders = 2'] })
    await server.query(`CREATE TABLE things (name text); ${commitTable}`)
    node = openDriver(server.address('postgres'), limits)
    other = openDriver(server.address('postgres'), limits)
  })
  afterEach(async () => {
    await server?.dispose()
    await Promise.all([node, other].map((driver) => driver.close()))
  })

  const add = (driver: Driver, name: string) =>
    driver.commits.write(() => run('INSERT INTO things (name) VALUES (?)', name), { run: 'a' })
  const setStandbys = async (names: string) => {
    await server.query(`ALTER SYSTEM SET synchronous_standby_names = '${names}'`)
    await server.query('SELECT pg_reload_conf()')
    await eventually('the setting', async () => {
      const [row] = await server.query('SHOW synchronous_standby_names')
      return row?.['synchronous_standby_names'] === names || undefined
    })
  }

  it('because no synchronous standby answers: says so, and whether it may have been stored', async function () {
    this.timeout(60_000)
    await setStandbys('lost')
    const sent = add(node, 'sent')
    await eventually('its commit', async () => {
      const waiting = await server.query("SELECT 1 FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
      return waiting[0]
    })
    const [queued, elsewhere] = [add(node, 'queued'), add(other, 'elsewhere')]
    const refusals = await Promise.all([sent, queued, elsewhere].map(refusal))
    for (const { code, message, hint } of refusals) {
      expect(code).to.equal('store_unavailable')
      expect(message).to.include("no synchronous standby answers (synchronous_standby_names is 'lost')")
      expect(hint).to.match(/^Start the standby/)
    }
    expect(refusals.map(({ details }) => details)).to.deep.equal([
      { outcome: 'unknown' },
      undefined,
      undefined,
    ])
    expect(refusals[0]!.message).to.match(/^the write may have been stored or not: /)
    await setStandbys('')
    expect(await add(other, 'later')).to.equal(1)
    const stored = await server.query('SELECT name FROM things ORDER BY name')
    expect(stored.map(({ name }) => name)).to.deep.equal(['later', 'sent'])
  })

  it('because the transaction of another node is slow: names it', async function () {
    this.timeout(60_000)
    const patient = openDriver(server.address('postgres'))
    const [sleeps, pids] = [
      "wait_event = 'PgSleep' AND xact_start < clock_timestamp() - interval '6 seconds'",
      [] as unknown[],
    ]
    const slow = patient.commits.write(() => run('SELECT pg_sleep(15)'), { run: 'a' })
    await eventually('a long transaction', async () => {
      pids.push(...(await server.query(`SELECT pid FROM pg_stat_activity WHERE ${sleeps}`)))
      return pids[0]
    })
    const { code, message, hint } = await refusal(add(node, 'late'))
    expect(code).to.equal('store_busy')
    const { pid } = pids[0] as { pid: number }
    expect(message).to.include(`process ${pid} (active, waits for Timeout PgSleep), for `)
    expect(hint).to.include('pg_stat_activity')
    await slow
    expect(await add(node, 'later')).to.equal(1)
    await patient.close()
  })
})
