import { cp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { expect } from 'chai'
import { auditTables } from '../../server/sqlite/schema/audit.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'
import { killCommands, runTocsin } from '../support/server/run-tocsin.ts'
import { startServer } from '../support/server/start-server.ts'

describe('tocsin audit verify', () => {
  let folder: TemporaryFolder
  let data: string
  let whole: string
  let log: string
  let entries: any[]

  before(async () => {
    folder = await makeTemporaryFolder()
    data = join(folder.path, 'data')
    whole = join(folder.path, 'whole')
    const server = await startServer({ dataDir: whole, env: { TOCSIN_LOG_LEVEL: 'info' } })
    await runTocsin(['keys', 'create', 'forwarder'], { env: { TOCSIN_DATA_DIR: whole } })
    for (const name of ['a', 'b']) await server.call('/keys', { body: { name, role: 'reader' } })
    const { body } = await server.call('/audit')
    entries = body.data
    log = (await server.stop()).stderr
  })
  beforeEach(async () => {
    await cp(whole, data, { recursive: true })
  })
  afterEach(() => rm(data, { recursive: true, force: true }))
  after(async () => {
    await killCommands()
    await folder.remove()
  })

  const verify = (...args: string[]) =>
    runTocsin(['audit', 'verify', ...args], { env: { TOCSIN_DATA_DIR: data } })
  const onFile = (sql: string) => {
    const database = new Sqlite(join(data, 'tocsin.db'))
    try {
      database.exec(sql)
    } finally {
      database.close()
    }
  }
  const names = ['audit_keeps_entries', 'audit_loses_none', 'audit_grows_by_one']
  /** An attacker with write access to the file who leaves no trace in its tables. */
  const unguarded = (change: string) => {
    const made = names.map((name) => new RegExp(`CREATE TRIGGER ${name} [^]*?END;`).exec(auditTables)?.[0])
    onFile(`${withoutTriggers} ${change}; ${made.join(' ')}`)
  }
  const withoutTriggers = `DROP TRIGGER audit_keeps_entries; DROP TRIGGER audit_loses_none; DROP TRIGGER audit_grows_by_one;`

  it('passes for the log of a running server and commands, and prints the head that the server logged', async () => {
    const { code, stdout, stderr } = await verify()
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' })
    const [, count, sequence, hash] = /intact: (\d+) entries\nhead (\d+):([0-9a-f]{64})\n$/.exec(stdout) ?? []
    expect(count).to.equal(sequence)
    expect(log).to.contain(`"sequence":${sequence},"hash":"${hash}","message":"audit log"`)
    expect((await verify('--head', `${sequence}:${hash}`)).code).to.equal(0)
    expect(entries.slice(0, 3).map((entry) => [entry.actor.kind, typeof entry.request_id])).to.deep.equal([
      ['api_key', 'string'],
      ['api_key', 'string'],
      ['command', 'object'],
    ])
  })

  it('detects any changed database row, although triggers refuse changes', () => {
    const statements = [
      `UPDATE audit SET entry = replace(entry, 'forwarder', 'x')`,
      `UPDATE audit SET id = id + 100`,
      `DELETE FROM audit WHERE id = 1`,
      `DELETE FROM audit`,
      `INSERT OR REPLACE INTO audit (id, entry, hash) VALUES (1, '{}', 'x')`,
      `INSERT INTO audit (id, entry, hash) VALUES (1, '{}', 'x') ON CONFLICT (id) DO UPDATE SET entry = '{}'`,
      `INSERT INTO audit (id, entry, hash) VALUES (1000, '{}', 'x')`,
    ]
    for (const sql of statements) expect(() => onFile(sql), sql).to.throw(/audit log/)
  })

  it('names the first entry that was changed, removed or inserted without the triggers', async () => {
    const { sequence } = entries.find(({ subject }) => subject.name === 'forwarder')
    const next = entries[0].sequence + 1
    const cases: readonly (readonly [string, number])[] = [
      [
        `UPDATE audit SET entry = replace(entry, 'forwarder', 'somebody') WHERE entry LIKE '%forwarder%'`,
        sequence,
      ],
      [`DELETE FROM audit WHERE id = 2`, 2],
      [`UPDATE audit SET hash = '${'0'.repeat(64)}' WHERE id = 3`, 3],
      [`INSERT INTO audit (id, entry, hash) SELECT ${next}, entry, hash FROM audit WHERE id = 1`, next],
    ]
    for (const [sql, entry] of cases) {
      await cp(whole, data, { recursive: true, force: true })
      onFile(`${withoutTriggers} ${sql}`)
      const { code, stderr } = await verify()
      expect(code, sql).to.equal(1)
      expect(stderr).to.match(new RegExp(`^error the audit log is broken at entry ${entry}: .+\\nhint {2}`))
      await rm(data, { recursive: true })
    }
  })

  it('detects a truncated log with a kept head', async () => {
    const head = /head (\S+)/.exec((await verify()).stdout)?.[1] ?? ''
    const last = Number(head.split(':')[0])
    unguarded(`DELETE FROM audit WHERE id = ${last}`)
    expect((await verify()).code).to.equal(0)
    const { code, stderr } = await verify('--head', head)
    expect(code).to.equal(1)
    expect(stderr).to.contain(`broken at entry ${last}: the log had at least ${last} entries`)
  })

  it('detects an emptied log', async () => {
    unguarded('DELETE FROM audit')
    const { code, stdout, stderr } = await verify()
    expect({ code, stdout }).to.deep.equal({ code: 1, stdout: '' })
    expect(stdout + stderr).to.match(/^error the audit log is broken at entry 1: all entries are missing/)
  })

  it('detects a removed or changed trigger', async () => {
    for (const name of names) {
      for (const sql of ['', `CREATE TRIGGER ${name} BEFORE INSERT ON audit BEGIN SELECT 1; END;`]) {
        await cp(whole, data, { recursive: true, force: true })
        onFile(`DROP TRIGGER ${name}; ${sql}`)
        const { code, stderr } = await verify()
        expect(code, name).to.equal(1)
        expect(stderr).to.match(
          new RegExp(
            `^error entries 1 to \\d+ are unchanged, but no longer protected: trigger ${name} of the database missing`,
          ),
        )
        await rm(data, { recursive: true })
      }
    }
  })
})
