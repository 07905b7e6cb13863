import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import Sqlite from 'better-sqlite3'
import { expect } from 'chai'
import pg from 'pg'
import { migratePostgres } from '../../server/postgres/migrate.ts'
import { expectRejection } from '../contract/fixture.ts'
import { describePostgresSchema } from '../postgres/support/described-schema.ts'
import { createDatabase, describePostgres, type TestDatabase } from '../support/postgres.ts'
import { makeRandom, seed } from '../support/random.ts'
import { openStoresIn } from '../support/stores.ts'
import { dumpOf } from './support/strange-rows.ts'
import { dumpPostgres, makeWorld, removeTemplate, silent, type World } from './support/world.ts'

const script = fileURLToPath(new URL('children/migrates.ts', import.meta.url))

/** Reports of a whole migration, about. */
const reports = { to: 470, from: 330 }

const random = makeRandom(seed)
/** Anywhere, and in the last steps. */
const killPoints = (direction: 'to' | 'from') =>
  Array.from({ length: 10 }, (_, index) => ({
    at: index < 2 ? 1 + index : Math.ceil(random() * reports[direction]),
    delayMs: index % 2 === 0 ? 0 : Math.floor(random() * 20),
  }))

describePostgres('a migration that is interrupted', () => {
  let world: World

  beforeEach(async () => {
    world = await makeWorld()
  })
  afterEach(() => world.dispose())
  after(removeTemplate)

  it('continues after kills, until the copy is whole; no server uses one half', async function () {
    this.timeout(300_000)
    const whole = await createDatabase()
    await copyOf(whole)
    let killed = 0
    for (const { at, delayMs } of killPoints('to')) {
      if (await runAndKill('to', world.dataDir, at, delayMs)) break
      killed++
      await expectUnusable()
    }
    await world.migrate().catch((error: unknown) => {
      // The last process may have ended just before its kill.
      if ((error as { code?: string }).code !== 'data_moved') throw error
    })
    expect(killed, `seed ${seed}`).to.be.above(1)
    expect(await dumpPostgres(world.database.address), `seed ${seed}`).to.deep.equal(
      await dumpPostgres(whole.address),
    )
    expect(await schemaOf(world.database.address)).to.deep.equal(await schemaOf(whole.address))
    await expectRejection(openStoresIn(world.dataDir), 'ConflictError', 'data_moved')
    await whole.drop()
  })

  it('continues on the way back too', async function () {
    this.timeout(300_000)
    const before = dumpOf(world.path)
    await world.migrate()
    let killed = 0
    for (const { at, delayMs } of killPoints('from')) {
      if (await runAndKill('from', world.back, at, delayMs)) break
      killed++
    }
    await world.migrateBack().catch((error: unknown) => {
      if ((error as { code?: string }).code !== 'data_moved') throw error
    })
    expect(killed, `seed ${seed}`).to.be.above(1)
    const after = dumpOf(join(world.back, 'tocsin.db'))
    for (const [table, rows] of Object.entries(before))
      if (table !== 'facts') expect(isDeepStrictEqual(after[table], rows), table).to.equal(true)
  })

  for (const step of ['marking the original', 'releasing the copy']) {
    it(`never lets both databases be used: ends before ${step}`, async () => {
      const progress = {
        ...silent,
        onStep(what: string) {
          if (what === step) throw new Error('stopped')
        },
      }
      const stopped = (error: unknown) => {
        if ((error as Error).message !== 'stopped') throw error
      }
      await world.migrate({ progress }).catch(stopped)
      await expectUnusable()
      if (step === 'releasing the copy')
        await expectRejection(openStoresIn(world.dataDir), 'ConflictError', 'data_moved')
      await world.migrate()
      await expectRejection(openStoresIn(world.dataDir), 'ConflictError', 'data_moved')
      await expectRejection(world.migrate(), 'ConflictError', 'data_moved')

      await world.migrateBack(progress).catch(stopped)
      await expectRejection(openStoresIn(world.back), 'ConflictError', 'migration_unfinished')
      await expectPostgres(step === 'releasing the copy' ? 'data_moved' : undefined)
      await world.migrateBack()
      await expectPostgres('data_moved')
      await expectRejection(world.migrateBack(), 'ConflictError', 'data_moved')
      await cp(join(world.dataDir, 'master.key'), join(world.back, 'master.key'))
      await (await openStoresIn(world.back)).close()
    })
  }

  it('continues with what the original has by then', async () => {
    await killHalfway()
    const sqlite = new Sqlite(world.path)
    sqlite.exec(`
      UPDATE alerts SET title = 'changed' WHERE id = 1;
      DELETE FROM alert_requests WHERE alert_id > 5;
      UPDATE organizations SET code = 'swapped' WHERE id = 1;
      UPDATE organizations SET code = (SELECT code || 'x' FROM organizations WHERE id = 3) WHERE id = 2;
      INSERT INTO journal (run_id, path, kind, state, attempt, started_at) VALUES (2, 'later', 'call', 'done', 1, 0);
      DELETE FROM journal WHERE id = 20;`)
    sqlite.close()
    const { written, rows } = await world.migrate()
    expect(written).to.be.below(rows)
    const [alert] = await world.query('SELECT title FROM alerts WHERE id = 1')
    expect(alert).to.deep.equal({ title: 'changed' })
    const before = dumpOf(world.path)
    await world.migrateBack()
    const after = dumpOf(join(world.back, 'tocsin.db'))
    for (const table of ['alerts', 'alert_requests', 'organizations', 'journal'])
      expect(isDeepStrictEqual(after[table], before[table]), table).to.equal(true)
  })

  it('refuses to continue with other data', async () => {
    await killHalfway()
    const sqlite = new Sqlite(world.path)
    sqlite.prepare(`UPDATE facts SET value = 'other' WHERE name = 'cursor_key'`).run()
    sqlite.close()
    const error = await expectRejection(world.migrate(), 'ConflictError', 'migration_of_other_data')
    expect(error.message).to.include(world.path)
  })

  it('copies nothing again that is there', async () => {
    await killHalfway('journal')
    const { written, rows } = await world.migrate()
    expect(written).to.be.above(0)
    expect(rows - written).to.be.above(2500)
  })

  it('says that a lost connection can be mended by another try', async () => {
    const progress = {
      ...silent,
      onTable(name: string) {
        if (name === 'journal') void endConnections()
      },
    }
    const error = await expectRejection(world.migrate({ progress }), 'UnavailableError', 'store_unavailable')
    expect(error.hint).to.include('run the command again')
    await world.migrate()
  })

  async function endConnections(): Promise<void> {
    await world.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'tocsin%'`,
    )
  }

  /** @param table before which it ends */
  async function killHalfway(table = 'runs'): Promise<void> {
    const progress = {
      ...silent,
      onTable(name: string) {
        if (name === table) throw new Error('stopped')
      },
    }
    await world.migrate({ progress }).catch((error: unknown) => {
      if ((error as Error).message !== 'stopped') throw error
    })
  }

  async function copyOf(target: TestDatabase): Promise<void> {
    const other = await makeWorld()
    await runAndKill('to', other.dataDir, 0, 0, target.address)
    await other.dispose()
  }

  /** Gives whether it ended before. */
  async function runAndKill(
    direction: 'to' | 'from',
    dataDir: string,
    at: number,
    delayMs: number,
    address = world.database.address,
  ): Promise<boolean> {
    const args = [script, direction, dataDir, address, String(at), String(delayMs)]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    const [stderr, [code, signal]] = await Promise.all([text(child.stderr), once(child, 'exit')])
    if (signal !== 'SIGKILL' && code !== 0) throw new Error(stderr)
    return signal !== 'SIGKILL'
  }

  /** The copy, or the original if the copy is whole. */
  async function expectUnusable(): Promise<void> {
    const [state] = await world.query<{ schema: string | null; mark: string | null }>(
      `SELECT to_regclass('tocsin_schema')::text AS schema, to_regclass('tocsin_migration')::text AS mark`,
    )
    if (state?.mark != null) await expectPostgres('migration_unfinished')
    else if (state?.schema != null)
      await expectRejection(openStoresIn(world.dataDir), 'ConflictError', 'data_moved')
  }

  /** @param code of the error for a server */
  async function expectPostgres(code: string | undefined): Promise<void> {
    const client = new pg.Client(world.database.address)
    await client.connect()
    try {
      const opened = migratePostgres(client, '0.1.0')
      await (code === undefined ? opened : expectRejection(opened, 'ConflictError', code))
    } finally {
      await client.end()
    }
  }
})

async function schemaOf(address: string) {
  const client = new pg.Client(address)
  await client.connect()
  try {
    return await describePostgresSchema(client)
  } finally {
    await client.end()
  }
}
