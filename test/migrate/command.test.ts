import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { MigrationLines } from '../../cli/output/migration-lines.ts'
import { canMount, onSmallDisk } from '../faults/support/small-disk.ts'
import { describePostgres } from '../support/postgres.ts'
import { killCommands, runTocsin } from '../support/server/run-tocsin.ts'
import { noteUntested } from '../support/untested.ts'
import { makeWorld, removeTemplate, type World } from './support/world.ts'

describePostgres('tocsin migrate', () => {
  let world: World
  let env: Readonly<Record<string, string>>

  beforeEach(async () => {
    world = await makeWorld()
    env = { TOCSIN_DATA_DIR: world.dataDir }
  })
  afterEach(async () => {
    await killCommands()
    await world.dispose()
  })
  after(removeTemplate)

  it('reports rows, time and verification, and what the servers need, without password and key', async () => {
    const address = world.database.tcpAddress
    const { code, stdout, stderr } = await runTocsin(['migrate', '--to', address], { env })
    expect(code, stderr).to.equal(0)
    expect(stderr).to.match(/^[\d,]+ rows, [\d.]+ MB, of which the copy has 6; estimated time: \d+ s\n/)
    expect(stdout)
      .to.match(
        /^ok .*tocsin\.db is copied to 127\.0\.0\.1:\d+, database 'tocsin_\w+': [\d,]+ rows of 80 tables\n/,
      )
      .and.include('verified: the audit log is unbroken; 9 entries, the last with the hash ')
      .and.match(/no server could run for \d+\.\d seconds/)
      .and.include(`TOCSIN_MASTER_KEY set to the content of ${world.dataDir}/master.key`)
    const key = (await readFile(join(world.dataDir, 'master.key'), 'utf8')).trim()
    for (const secret of [new URL(address).password, key]) expect(stdout + stderr).not.to.include(secret)
  })

  it('prints JSON', async () => {
    const { code, stdout } = await runTocsin(['migrate', '--to', world.database.address, '--json'], { env })
    expect(code).to.equal(0)
    const { tables, audit, read_only_seconds, rows, ...rest } = JSON.parse(stdout) as {
      tables: { table: string; rows: number; written: number; sha256: string }[]
      audit: unknown
      read_only_seconds: number
      rows: number
    }
    expect(Object.keys(rest)).to.deep.equal(['from', 'to', 'written', 'bytes'])
    expect(tables.find(({ table }) => table === 'runs')).to.include({ rows: 9, written: 9 })
    expect(tables.every(({ sha256 }) => /^[0-9a-f]{64}$/.test(sha256))).to.equal(true)
    expect(tables.reduce((sum, table) => sum + table.rows, 0)).to.equal(rows)
    expect(audit).to.have.property('entries', 9)
    expect(read_only_seconds).to.be.above(0)
  })

  it('prepares, migrates, and migrates back, with the address in a file', async () => {
    const file = join(world.dataDir, '..', 'address')
    await writeFile(file, `${world.database.tcpAddress}\n`, { mode: 0o600 })
    const prepared = await runTocsin(['migrate', '--to', `file:${file}`, '--prepare'], { env })
    expect(prepared.code, prepared.stderr).to.equal(0)
    expect(prepared.stdout).to.match(/stop the server and run the same command without --prepare\n$/)
    const there = await runTocsin(['migrate', '--to', `file:${file}`], { env })
    expect(there.code, there.stderr).to.equal(0)
    const back = await runTocsin(['migrate', '--from', `file:${file}`], {
      env: { TOCSIN_DATA_DIR: world.back },
    })
    expect(back.code, back.stderr).to.equal(0)
    expect(back.stdout).to.include(`is copied to ${world.back}/tocsin.db: `)
    const again = await runTocsin(['migrate', '--to', `file:${file}`], { env })
    expect(again).to.include({ code: 1, stdout: '' })
    expect(again.stderr).to.match(/^error the data of .* was moved to .*\nhint {2}Use /)
    const doctor = await runTocsin(['doctor', '--offline'], { env })
    expect(doctor.stdout).to.match(/problem +database: the data of .* was moved to /)
  })

  it('fails with 1 for a difference, and names the table and the key', async () => {
    await runTocsin(['migrate', '--to', world.database.address, '--prepare'], { env })
    await world.query(`
      CREATE FUNCTION spoil() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.status := 'x'; RETURN NEW; END $$;
      CREATE TRIGGER spoil BEFORE INSERT ON runs FOR EACH ROW EXECUTE FUNCTION spoil();
      DELETE FROM runs WHERE id = 7`)
    const { code, stdout, stderr } = await runTocsin(['migrate', '--to', world.database.address], { env })
    expect({ code, stdout }).to.deep.equal({ code: 1, stdout: '' })
    expect(stderr).to.include('error the row of runs with id = 7 differs in status\n')
  })

  it('says when the disk of the data directory is full', async function () {
    if (!canMount) {
      noteUntested('mounts: the disk of a data directory is full')
      this.skip()
    }
    await world.migrate()
    const { code, stderr } = await runTocsin(['migrate', '--from', world.database.tcpAddress], {
      env: { TOCSIN_DATA_DIR: world.back },
      ownProcess: true,
      under: onSmallDisk(world.back, 3),
    })
    expect(code).to.equal(1)
    expect(stderr).to.include(
      'Free space on the disk that holds the data directory. Then run the command again',
    )
  })

  const wrong: readonly (readonly [what: string, args: readonly string[], code: number, says: RegExp])[] = [
    ['no database', [], 1, /name the database with --to or --from/],
    ['two databases', ['--to', 'a', '--from', 'b'], 2, /'--to <address>' cannot be used with option '--from/],
    ['a preparation of the way back', ['--from', 'b', '--prepare'], 2, /cannot be used with option '--from/],
    ['an invalid address', ['--to', 'postgres://u:s3cret@h:x/d'], 1, /invalid host in the address/],
    [
      'a missing file',
      ['--to', 'file:/nowhere/x'],
      1,
      /--to refers to file:\/nowhere\/x, which cannot be read/,
    ],
  ]
  for (const [what, args, code, says] of wrong) {
    it(`refuses ${what}`, async () => {
      const ended = await runTocsin(['migrate', ...args], { env })
      expect(ended).to.include({ code, stdout: '' })
      expect(ended.stderr).to.match(says).and.not.include('s3cret')
    })
  }

  it('refuses data whose secrets the master key does not open', async () => {
    await rm(join(world.dataDir, 'master.key'))
    const args = ['migrate', '--to', world.database.address]
    expect((await runTocsin(args, { env })).stderr).to.include('has a database but no master key')
    const key = Buffer.alloc(32, 'another key of 32 bytes').toString('base64')
    const ended = await runTocsin(args, { env: { ...env, TOCSIN_MASTER_KEY: key } })
    expect(ended.stderr).to.include('the master key does not open the secrets')
    expect(await world.query(`SELECT to_regclass('tocsin_schema') AS found`)).to.deep.equal([{ found: null }])
  })
})

describe('the progress of a migration', () => {
  it('is a line each ten seconds, with the time left', () => {
    let now = 0
    let written = ''
    const lines = new MigrationLines(
      { isTTY: false, write: (text: string | Uint8Array) => ((written += String(text)), true) },
      () => now,
    )
    lines.onPlan({ rows: 1_000_000, present: 0, bytes: 3_000_000_000 })
    for (const table of ['alerts', 'journal']) {
      lines.onTable(table)
      for (let part = 0; part < 25; part++) {
        lines.onRows(20_000)
        now += 1000
      }
    }
    lines.onStep('creating journal_of_run')
    lines.end()
    expect(written.split('\n')).to.deep.equal([
      '1,000,000 rows, 3000.0 MB; estimated time: 7 min',
      '0 % of the rows · alerts',
      '22 % of the rows · alerts · 36 s left',
      '42 % of the rows · alerts · 28 s left',
      '62 % of the rows · journal · 19 s left',
      '82 % of the rows · journal · 9 s left',
      '100 % of the rows · creating journal_of_run',
      '',
    ])
  })
})
