import type { Author } from '../../core/domain/audit.ts'
import { personOf } from '../../core/domain/audit.ts'
import { chmod, mkdir, readFile, readdir, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Scope } from '../../core/ports.ts'
import { Secret } from '../../core/plugin/index.ts'
import { Database } from '../../server/sqlite/database/database.ts'
import { authors } from '../../server/sqlite/migrations/0034-authors.ts'
import { authorsOfEntries } from '../../server/sqlite/migrations/0027-authors-of-entries.ts'
import { migrations } from '../../server/sqlite/migrations/all-migrations.ts'
import { openDatabase } from '../../server/sqlite/file/open-database.ts'
import { migrate } from '../../server/sqlite/database/migrate.ts'
import { expectRejection, newAlert } from '../contract/fixture.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'
import { openStoresIn } from './open-stores.ts'
import { somebody } from '../support/somebody.ts'

describe('opening SQLite stores', () => {
  let folder: TemporaryFolder
  let file: string

  beforeEach(async () => {
    folder = await makeTemporaryFolder()
    file = join(folder.path, 'tocsin.db')
  })
  afterEach(() => folder.remove())

  const version = () => withDatabase((database) => database.pragma('user_version'))

  function withDatabase<T>(use: (database: Database) => T): T {
    const database = new Database(file)
    try {
      return use(database)
    } finally {
      database.close()
    }
  }

  it('makes tables in an empty file, once', async () => {
    await (await openStoresIn(folder.path)).close()
    expect(version()).to.equal(migrations.length)
    const stores = await openStoresIn(folder.path)
    expect(await stores.organizations.list('all')).to.deep.equal([])
    await stores.close()
    expect(version()).to.equal(migrations.length)
  })

  it('keeps what was stored', async () => {
    const first = await openStoresIn(folder.path)
    const acme = await first.organizations.create({ code: 'Acme', name: 'x' }, somebody())
    await first.providers.create({ code: 'SIEM', name: 'x' }, somebody())
    const { alert } = await first.alerts.createOnce(newAlert(acme), { key: 'abc', keepMs: 60_000 })
    await first.close()
    const second = await openStoresIn(folder.path)
    expect(await second.alerts.find('all', alert.id)).to.deep.equal(alert)
    const again = await second.alerts.createOnce(newAlert(acme), { key: 'abc', keepMs: 60_000 })
    expect(again).to.deep.equal({ alert, replayed: true })
    expect((await second.alerts.create(newAlert(acme))).id).to.equal('Acme-SIEM-2')
    await second.close()
  })

  it('keeps what happened in a case as it was written', async () => {
    const stores = await openStoresIn(folder.path)
    const acme = await stores.organizations.create({ code: 'Acme', name: 'x' }, somebody())
    await stores.cases.create(acme.uuid, { title: 'One' }, personOf('kim'), 'a')
    await stores.close()
    withDatabase((database) => {
      for (const change of [`UPDATE case_entries SET text = 'x'`, 'DELETE FROM case_entries'])
        expect(() => database.run(change), change).to.throw(/append-only/)
    })
  })

  it('tells of what stood in cases before who wrote it, and takes no key for a run that it is named after', async () => {
    const before = migrations.indexOf(authorsOfEntries)
    withDatabase((database) => {
      for (const migration of migrations.slice(0, before)) database.script(migration)
      database.pragma('application_id = 0x546f6373')
      database.pragma(`user_version = ${before}`)
      database.script(`
        INSERT INTO organizations (uuid, code, name, created_at) VALUES ('o', 'Acme', 'x', 1);
        INSERT INTO api_keys (uuid, public_id, name, role, all_organizations, secret_hash, created_at)
          VALUES ('1', 'k1', 'anna', 'analyst', 1, x'01', 1), ('2', 'k2', 'kim', 'analyst', 1, x'02', 1),
            ('3', 'k3', 'kim', 'analyst', 1, x'03', 1), ('4', 'k4', 'run r2', 'analyst', 1, x'04', 1);
        INSERT INTO runs (uuid, organization_id, playbook_name, playbook_hash, status, created_at)
          VALUES ('r1', 1, 'triage', 'w1', 'completed', 1), ('r2', 1, 'other', 'w1', 'completed', 1);
        INSERT INTO cases (organization_id, number, title, summary, status, severity, verdict, created_at, modified_at)
          VALUES (1, 1, 'x', '', 'open', 'low', 'unknown', 1, 1);
        INSERT INTO case_entries (case_id, at, author, kind, text) VALUES (1, 1, 'run r1', 'opened', ''), (1, 1, 'run r1', 'note', ''),
          (1, 1, 'run r2', 'alert', ''), (1, 1, 'run r2', 'note', ''), (1, 1, 'run gone', 'changed', ''),
          (1, 1, 'grouping of repeats', 'alert', ''), (1, 1, 'grouping of repeats', 'note', ''), (1, 1, 'anna', 'note', ''),
          (1, 1, 'kim', 'note', '')`)
    })
    const { cases, close } = await openStoresIn(folder.path)
    const { data } = await cases.timeline('all', 'Acme-1', { limit: 20 })
    expect(data.toReversed().map(({ actor: { kind, id, name } }) => `${kind}/${id}/${name}`)).to.deep.equal([
      'run/r1/triage',
      'run/r1/triage',
      'run/r2/other',
      'api_key/k4/run r2',
      'run/gone/run gone',
      'server/server/grouping of repeats',
      'api_key//grouping of repeats',
      'api_key/k1/anna',
      'api_key//kim',
    ])
    await close()
  })

  it('tells of answers, cancellations, pauses and versions of before who it was, and takes no key for a person or the server', async () => {
    const before = migrations.indexOf(authors)
    const actor = (kind: string, id: string, name: string) => JSON.stringify({ kind, id, name })
    withDatabase((database) => {
      for (const migration of migrations.slice(0, before)) database.script(migration)
      database.pragma('application_id = 0x546f6373')
      database.pragma(`user_version = ${before}`)
      database.script(`
        INSERT INTO organizations (uuid, code, name, created_at) VALUES ('o', 'Acme', 'x', 1);
        INSERT INTO api_keys (uuid, public_id, name, role, all_organizations, secret_hash, created_at)
          VALUES ('1', 'k1', 'anna', 'analyst', 1, x'01', 1), ('2', 'k2', 'U1', 'analyst', 1, x'02', 1),
            ('3', 'k3', 'server', 'admin', 1, x'03', 1);
        INSERT INTO runs (uuid, organization_id, playbook_name, playbook_hash, status, created_at, cancelled_by, cancelled_at)
          VALUES ('r1', 1, 'p', 'h', 'completed', 1, 'server', 1), ('r2', 1, 'p', 'h', 'completed', 1, 'anna', 1);
        INSERT INTO checkpoints (public_id, organization_id, run_id, path, question, state, created_at, timeout_at, asked)
          VALUES ('c1', 1, 1, 'a', '{}', 'answered', 1, 1, 'U1'), ('c2', 1, 1, 'b', '{}', 'answered', 1, 1, 'U2');
        INSERT INTO checkpoint_answers (checkpoint_id, outcome, author, at) VALUES
          (1, 'not_asked', 'U3', 1), (1, 'accepted', 'U1', 1), (1, 'second', 'U1', 1), (1, 'second', 'anna', 1), (1, 'second', 'gone', 1),
          (2, 'accepted', 'U2', 1), (2, 'second', 'U2', 1);
        INSERT INTO playbooks (name, hash, source, origin, newest, created_at, put_in_force_by, put_in_force_at)
          VALUES ('p', 'h', 's', 'file', 0, 1, 'server', 1), ('p', 'h2', 's', 'file', 1, 1, 'server', 1);
        INSERT INTO facts (name, value) VALUES ('paused', '{"by":"server","since":1,"reason":"x"}');
        INSERT INTO journal (run_id, path, kind, state, attempt, started_at, resolution)
          VALUES (1, 'a', 's.s', 'skipped', 1, 1, '{"decision":"skip","by":"server","at":1}')`)
      const audited: [string, string, string][] = [
        ['checkpoint.answered', 'c1', actor('api_key', 'k2', 'U1')],
        ['checkpoint.answered', 'c2', actor('person', 'U2', 'bob@x.example')],
        ['run.cancelled', 'r1', actor('api_key', 'k3', 'server')],
        ['playbook.put_in_force', 'h', actor('server', 'server', 'server')],
        ['playbook.put_in_force', 'h2', actor('api_key', 'k3', 'server')],
        ['engine.paused', 'engine', actor('api_key', 'k3', 'server')],
      ]
      for (const [index, [action, id, by]] of audited.entries()) {
        const entry = JSON.stringify({ action, subject: { id }, actor: JSON.parse(by) as unknown })
        database.run('INSERT INTO audit (id, entry, hash) VALUES (?, ?, ?)', index + 1, entry, 'x')
      }
    })
    const { checkpoints, runs, journal, pause, playbooks, close } = await openStoresIn(folder.path)
    const text = ({ kind, id, name }: Author) => `${kind}/${id}/${name}`
    const answersTo = async (id: string) => (await checkpoints.answers(id)).map(({ by }) => text(by))
    expect(await answersTo('c1')).to.deep.equal([
      'person/U3/U3',
      'api_key/k2/U1',
      'api_key/k2/U1',
      'api_key/k1/anna',
      'api_key//gone',
    ])
    expect(await answersTo('c2')).to.deep.equal(['person/U2/U2', 'person/U2/U2'])
    const cancelled = await Promise.all(['r1', 'r2'].map((uuid) => runs.find('all', uuid)))
    expect(cancelled.map((run) => text(run!.cancellation!.by))).to.deep.equal([
      'api_key/k3/server',
      'api_key/k1/anna',
    ])
    expect(text((await journal.entry('r1', 'a'))!.resolution!.by)).to.equal('api_key//server')
    expect(text((await pause.get())!.by)).to.equal('api_key/k3/server')
    const versions = await playbooks.versions('all', 'p', { limit: 9 })
    expect(versions.data.map(({ hash, putInForce }) => [hash, text(putInForce!.by)])).to.deep.equal([
      ['h2', 'api_key/k3/server'],
      ['h', 'server/server/server'],
    ])
    await close()
  })

  it('gives a playbook that was made before to the organization of its runs, and a written one to all', async () => {
    withDatabase((database) => {
      for (const migration of migrations.slice(0, 4)) database.script(migration)
      database.pragma('application_id = 0x546f6373')
      database.pragma('user_version = 4')
      database.script(`
        INSERT INTO organizations (uuid, code, name, created_at) VALUES ('o', 'Acme', 'x', 1), ('p', 'Globex', 'x', 1);
        INSERT INTO playbooks (name, hash, source, origin, created_at)
          VALUES ('w', 'w1', 's', 'file', 1), ('w', 'w2', 's', 'file', 1), ('m', 'm1', 's', 'made', 1), ('u', 'u1', 's', 'made', 1);
        INSERT INTO newest_playbooks VALUES ('w', 2), ('m', 3), ('u', 4);
        INSERT INTO runs (uuid, organization_id, playbook_name, playbook_hash, status, created_at)
          VALUES ('r', 1, 'w', 'w1', 'completed', 1), ('s', 2, 'm', 'm1', 'completed', 1)`)
    })
    const { playbooks, close } = await openStoresIn(folder.path)
    const namesOf = async (scope: Scope) =>
      (await playbooks.list(scope, { limit: 9 })).data.map(({ name, hash }) => `${name} ${hash}`)
    expect(await namesOf('all')).to.deep.equal(['m m1', 'w w2'])
    expect(await namesOf(['o'])).to.deep.equal(['w w2'])
    expect(await playbooks.findByHash(['o'], 'w1')).to.include({ origin: 'file', organizationUuid: null })
    expect(await playbooks.findByHash(['p'], 'm1')).to.include({ origin: 'made', organizationUuid: 'p' })
    await close()
  })

  it('gives a connection that was made before a token, and takes its secrets to be as old as it is', async () => {
    withDatabase((database) => {
      for (const migration of migrations.slice(0, 6)) database.script(migration)
      database.pragma('application_id = 0x546f6373')
      database.pragma('user_version = 6')
      database.script(`
        INSERT INTO organizations (uuid, code, name, created_at) VALUES ('o', 'Acme', 'x', 1);
        INSERT INTO connections (uuid, organization_id, name, folded_name, plugin, settings, enabled, created_at, modified_at)
          VALUES ('c', 1, 'one', 'one', 'p', '{}', 1, 7, 9), ('d', 1, 'two', 'two', 'p', '{}', 1, 8, 9);
        INSERT INTO connection_secrets VALUES (1, 'key', 1, x'00')`)
    })
    const first = await openStoresIn(folder.path)
    const all = await first.connections.list('all')
    expect(all.map(({ secretsAt, broken }) => ({ secretsAt, broken }))).to.deep.equal([
      { secretsAt: 7, broken: null },
      { secretsAt: null, broken: null },
    ])
    const [one, again] = await Promise.all([
      first.connections.eventsToken('o', 'd'),
      first.connections.eventsToken('o', 'd'),
    ])
    expect(one.reveal(), 'made once').to.equal(again.reveal())
    await first.close()
    const second = await openStoresIn(folder.path)
    expect((await second.connections.eventsToken('o', 'd')).reveal()).to.equal(one.reveal())
    expect((await second.connections.openByEventsToken(one.reveal()))?.connection.name).to.equal('two')
    await second.close()
  })

  it('finds alerts by words that were stored before there was a search', async () => {
    withDatabase((database) => {
      for (const migration of migrations.slice(0, 3)) database.script(migration)
      database.pragma('application_id = 0x546f6373')
      database.pragma('user_version = 3')
      database.script(`
        INSERT INTO organizations (uuid, code, name, created_at) VALUES ('o', 'Acme', 'x', 1);
        INSERT INTO providers (code, name, created_at) VALUES ('SIEM', 'x', 1);
        INSERT INTO alerts (uuid, organization_id, provider_id, sequence, type, created_by, created_at, modified_at, status)
          VALUES ('a', 1, 1, 1, NULL, 'k', 1, 1, 0), ('b', 1, 1, 2, 'phishing', 'k', 1, 1, 0);
        INSERT INTO alert_contents VALUES (1, 'seen by kim'), (2, 'x')`)
    })
    const stores = await openStoresIn(folder.path)
    for (const [words, sequences] of [
      ['kim', ['1']],
      ['phishing', ['2']],
      ['acme-siem', ['2', '1']],
    ] as const) {
      const { data } = await stores.alerts.list('all', { words }, { limit: 5 })
      expect(
        data.map(({ id }) => id.at(-1)),
        words,
      ).to.deep.equal(sequences)
    }
    await stores.close()
  })

  it('leaves an unfinished migration undone', () => {
    withDatabase((database) => {
      database.script('CREATE TABLE alerts (broken)')
      database.pragma('application_id = 0x546f6373')
      expect(() => migrate(database)).to.throw('already exists')
      expect(database.pragma('user_version')).to.equal(0)
      expect(database.all(`SELECT name FROM sqlite_schema`)).to.deep.equal([{ name: 'alerts' }])
      expect(database.inTransaction).to.equal(false)
    })
  })

  it('refuses a database newer than the program, and leaves it as it is', async () => {
    await (await openStoresIn(folder.path)).close()
    withDatabase((database) => database.pragma(`user_version = ${migrations.length + 1}`))
    const error = await expectRejection(openStoresIn(folder.path), 'ConflictError', 'database_too_new')
    expect(error.hint).to.include('newer Tocsin')
    await expectRejection(openStoresIn(folder.path, { claim: 'shared' }), 'ConflictError', 'database_too_new')
    expect(version()).to.equal(migrations.length + 1)
  })

  it('refuses a file of another program', async () => {
    withDatabase((database) => database.script('CREATE TABLE songs (title)'))
    await expectRejection(openStoresIn(folder.path), 'ConflictError', 'not_a_tocsin_database')
    await writeFile(file, 'not a database at all, but long enough to be looked at'.repeat(100))
    await expectRejection(openStoresIn(folder.path), 'ConflictError', 'not_a_tocsin_database')
  })

  it('waits for the disk at every commit, and checks references', async () => {
    const database = openDatabase(file)
    const settings = ['journal_mode', 'synchronous', 'foreign_keys', 'mmap_size'].map((name) =>
      database.pragma(name),
    )
    database.close()
    expect(settings).to.deep.equal(['wal', 2, 1, 0])
  })

  it('tells by a probe that it cannot write, goes on reading, and recovers', async () => {
    const stores = await openStoresIn(folder.path, { busyTimeoutMs: 0 })
    const other = new Database(file)
    other.script('BEGIN IMMEDIATE')
    await expectRejection(stores.probe(), 'UnavailableError', 'store_unavailable')
    expect(await stores.organizations.list('all')).to.deep.equal([])
    other.close()
    await stores.probe()
    await stores.close()
  })

  it('tells by a probe that the disk is full, although a small write would still find room', async function () {
    if (process.platform !== 'linux') this.skip()
    const stores = await openStoresIn(folder.path)
    await symlink('/dev/full', join(folder.path, 'tocsin.probe'))
    const error = await expectRejection(stores.probe(), 'UnavailableError', 'store_unavailable')
    expect(error).to.deep.include({ details: { code: 'ENOSPC' } })
    await stores.probe()
    expect(await readdir(folder.path)).not.to.include('tocsin.probe')
    await stores.close()
  })

  it('lets nobody else read its files, whatever the umask', async function () {
    if (process.platform === 'win32') this.skip()
    const dataDir = join(folder.path, 'new', 'data')
    const before = process.umask(0o000)
    const stores = await openStoresIn(dataDir)
    try {
      await stores.probe()
      expect((await stat(dataDir)).mode & 0o777).to.equal(0o700)
      const names = await readdir(dataDir)
      expect(names).to.include.members([
        'master.key',
        'tocsin.db',
        'tocsin.db-shm',
        'tocsin.db-wal',
        'tocsin.lock',
      ])
      for (const name of names) expect((await stat(join(dataDir, name))).mode & 0o777, name).to.equal(0o600)
    } finally {
      process.umask(before)
      await stores.close()
    }
  })

  it('tightens a database file that others can read', async function () {
    if (process.platform === 'win32') this.skip()
    await mkdir(folder.path, { recursive: true })
    await writeFile(file, '')
    await chmod(file, 0o644)
    await (await openStoresIn(folder.path)).close()
    expect((await stat(file)).mode & 0o777).to.equal(0o600)
  })

  it('refuses another master key at once', async () => {
    await (await openStoresIn(folder.path)).close()
    await writeFile(join(folder.path, 'master.key'), Buffer.alloc(32, 7).toString('base64'))
    const error = await expectRejection(openStoresIn(folder.path), 'ConflictError', 'master_key_mismatch')
    expect(error.hint).to.include('master.key')
  })

  it('leaves no secret in the clear in its files', async () => {
    const stores = await openStoresIn(folder.path)
    const { uuid } = await stores.organizations.create({ code: 'Acme', name: 'x' }, somebody())
    const secrets = { token: new Secret('canary-4711-canary') }
    await stores.connections.create(
      uuid,
      { name: 'c', plugin: 'p', settings: { visible: 'seen' }, secrets },
      somebody(),
    )
    const contents = await Promise.all(
      ['tocsin.db', 'tocsin.db-wal'].map((name) => readFile(join(folder.path, name))),
    )
    await stores.close()
    contents.push(await readFile(file))
    const isStored = (text: string | Buffer) => contents.some((content) => content.includes(text))
    expect(isStored('seen')).to.equal(true)
    for (const form of ['utf8', 'utf16le'] as const) {
      expect(isStored(Buffer.from('canary-4711', form)), form).to.equal(false)
    }
    expect(isStored(Buffer.from('canary-4711').toString('base64').slice(0, 12))).to.equal(false)
  })

  it('says that the file is damaged when a page is, and does what needs other pages', async () => {
    const before = await openStoresIn(folder.path)
    await before.providers.create({ code: 'SIEM', name: 'x' }, somebody())
    await before.close()
    const { page, size } = withDatabase((database) => ({
      page: database.one<{ root: number }>(
        `SELECT rootpage AS root FROM sqlite_schema WHERE name = 'providers'`,
      ).root,
      size: Number(database.pragma('page_size')),
    }))
    await writeFile(file, (await readFile(file)).fill(0xaa, (page - 1) * size, page * size))
    const stores = await openStoresIn(folder.path)
    for (const call of [
      () => stores.providers.list(),
      () => stores.providers.create({ code: 'DLP', name: 'x' }, somebody()),
    ]) {
      const error = await expectRejection(call(), 'UnavailableError', 'store_unavailable')
      expect(error.details).to.deep.equal({ sqlite_code: 'SQLITE_CORRUPT' })
      expect(error.hint).to.include('backup')
    }
    expect((await stores.organizations.create({ code: 'Acme', name: 'x' }, somebody())).code).to.equal('Acme')
    await stores.close()
  })

  it('does not open a secret that was moved to another connection or field', async () => {
    const stores = await openStoresIn(folder.path)
    const { uuid } = await stores.organizations.create({ code: 'Acme', name: 'x' }, somebody())
    for (const name of ['one', 'two']) {
      const secrets = { token: new Secret(name), other: new Secret('other') }
      await stores.connections.create(uuid, { name, plugin: 'p', settings: {}, secrets }, somebody())
    }
    withDatabase((database) =>
      database.script(`UPDATE connection_secrets SET sealed = (SELECT sealed FROM connection_secrets WHERE connection_id = 2
      AND field = 'token') WHERE connection_id = 1 AND field = 'token'`),
    )
    await expectRejection(stores.connections.open(uuid, 'one'), 'ConnectionError', 'secret_unreadable')
    expect((await stores.connections.open(uuid, 'two'))?.secrets['token']?.reveal()).to.equal('two')
    withDatabase((database) =>
      database.script(`UPDATE connection_secrets SET sealed = (SELECT sealed FROM connection_secrets WHERE connection_id = 2
      AND field = 'other') WHERE connection_id = 2 AND field = 'token'`),
    )
    // What others change counts from the next turn on.
    await new Promise((resolve) => setImmediate(resolve))
    await expectRejection(stores.connections.open(uuid, 'two'), 'ConnectionError', 'secret_unreadable')
    await stores.close()
  })
})
