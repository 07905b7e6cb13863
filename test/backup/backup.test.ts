import { expect } from 'chai'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Ended } from '../support/server/hosted-commands.ts'
import { runTocsin } from '../support/server/run-tocsin.ts'
import { eventually } from '../support/eventually.ts'
import { using } from '../../server/sqlite/file/backup-file.ts'
import { makeTestTocsin, type TestTocsin } from '../support/server/test-tocsin.ts'

const connection = {
  organization_code: 'main',
  name: 'intel',
  plugin: 'intel_provider',
  settings: { api_key: 'canary-of-the-backup' },
}

describe('tocsin backup and restore', function () {
  this.timeout(60_000)
  let house: TestTocsin
  let first: { readonly file: string; readonly made: Ended; readonly alerts: readonly string[] }
  let waiting: string
  const at = (name: string) => join(house.folder, name)
  const tocsin = (args: string[], data: string, env: Record<string, string> = {}) =>
    runTocsin(args, {
      cwd: house.folder,
      env: { TOCSIN_DATA_DIR: at(data), TOCSIN_PLAYBOOKS_DIR: at(`${data}-playbooks`), ...env },
    })
  const restoreInto = (data: string, ...args: string[]) => tocsin(['restore', first.file, ...args], data)
  /** Start of a table in the backup that a restore does not read. */
  const pageOf = (table: string) =>
    using(first.file, (backup) =>
      backup.one<{ rootpage: number }>(`SELECT rootpage FROM sqlite_schema WHERE name = ?`, table),
    ).rootpage
  const withKey = async (data: string) => {
    await mkdir(at(data), { mode: 0o700 })
    await writeFile(at(`${data}/master.key`), await readFile(at('data/master.key')), { mode: 0o600 })
  }

  /** A server under load, a backup of it, and the alerts acknowledged before the backup. */
  before(async () => {
    house = await makeTestTocsin()
    await house.addPlaybook('note', "  - set: { seen: '${{ alert.content }}' }")
    await house.addPlaybook(
      'ask',
      '  - { id: q, checkpoint: { via: operator, with: { message: x }, answers: [yes, no], timeout: 30m } }',
    )
    const server = await house.start()
    expect((await server.call('/connections', { body: connection })).status).to.equal(201)
    expect((await server.call('/session', { body: { api_key: server.adminKey } })).status).to.equal(201)
    await house.post('ask')
    waiting = await eventually(
      'a question',
      async () => (await server.call('/checkpoints')).body.data[0]?.run_uuid,
    )
    const alerts: string[] = []
    const over = new AbortController()
    const load = async () => {
      while (!over.signal.aborted)
        alerts.push((await house.post('note', String(alerts.length))).body.alert_id)
    }
    const loading = Promise.all([load(), load()])
    while (alerts.length < 20) await house.post('note')
    const acknowledged = [...alerts]
    const file = at('backup.db')
    const made = await tocsin(['backup', file], 'data', { TOCSIN_PLAYBOOKS_DIR: at('playbooks') })
    over.abort()
    await loading
    first = { file, made, alerts: acknowledged }
  })
  after(() => house?.close())

  it('writes one file beside the server under load, readable by its owner only, and warns that it lacks the key', async () => {
    const { code, stdout, stderr } = first.made
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' })
    expect(stdout).to.match(
      /^ok .*backup\.db: the database and 2 files of the playbooks folder, [\d.]+ [KM]B\n/,
    )
    expect(stdout).to.contain(
      `it does not contain the master key: without a copy of ${at('data/master.key')}, the secrets of 1 connection`,
    )
    expect(((await stat(first.file)).mode & 0o777).toString(8)).to.equal('600')
    expect((await readdir(house.folder)).filter((name) => name.startsWith('backup'))).to.deep.equal([
      'backup.db',
    ])
  })

  it('contains neither the master key nor plain-text secrets', async () => {
    const bytes = await readFile(first.file)
    const key = (await readFile(at('data/master.key'), 'utf8')).trim()
    for (const secret of [key, Buffer.from(key, 'base64'), 'canary-of-the-backup'])
      expect(bytes.includes(secret)).to.equal(false)
  })

  it('never overwrites an existing file', async () => {
    const { code, stderr } = await tocsin(['backup', first.file], 'data')
    expect(code).to.equal(1)
    expect(stderr).to.contain('already exists')
  })

  describe('after a restore elsewhere', () => {
    before(async () => {
      await withKey('second')
      expect((await restoreInto('second')).code).to.equal(0)
    })

    it('has a data directory for its owner only, with the playbooks, and no leftovers', async () => {
      expect((await readdir(at('second'))).filter((name) => !/lock|pid/.test(name)).toSorted()).to.deep.equal(
        ['master.key', 'tocsin.db'],
      )
      expect(((await stat(at('second/tocsin.db'))).mode & 0o777).toString(8)).to.equal('600')
      for (const name of ['note.yaml', 'ask.yaml'])
        expect(await readFile(at(`second-playbooks/${name}`))).to.deep.equal(
          await readFile(at(`playbooks/${name}`)),
        )
    })

    it('has no sessions', () => {
      const signedIn = (path: string) =>
        using(path, (database) => database.one<{ n: number }>('SELECT count(*) AS n FROM sessions')).n
      expect([signedIn(first.file), signedIn(at('second/tocsin.db'))]).to.deep.equal([1, 0])
    })

    it('has every alert acknowledged before the backup, its connections and its audit log', async () => {
      const key = house.server.adminKey
      await house.server.stop()
      const server = await house.start({
        env: { TOCSIN_DATA_DIR: at('second'), TOCSIN_PLAYBOOKS_DIR: at('second-playbooks') },
      })
      for (const alert of first.alerts)
        expect((await server.call(`/alerts/${alert}`, { key })).status, alert).to.equal(200)
      const { body } = await server.call('/connections/intel/authenticate', { method: 'POST', key })
      expect(body.code, 'its secret could be opened').not.to.equal('secret_unreadable')
      const run = await server.call(`/runs/${waiting}`, { key })
      expect([run.body.status, run.body.error.code]).to.deep.equal(['failed', 'run_restored'])
      const audit = (await server.call('/audit?limit=200', { key })).body.data
      expect(audit.map(({ action }: { action: string }) => action)).to.include.members([
        'backup.made',
        'backup.restored',
      ])
      await server.stop()
      expect((await tocsin(['audit', 'verify'], 'second')).code).to.equal(0)
    })
  })

  it('refuses to restore beside a running server', async () => {
    const { code, stderr } = await restoreInto('data', '--replace')
    expect(code).to.equal(1)
    expect(stderr).to.contain('is in use by the process')
    expect((await house.post('note')).status).to.equal(201)
  })

  it('resumes runs on request', async () => {
    await withKey('resumed')
    expect((await restoreInto('resumed', '--resume')).code).to.equal(0)
    const server = await house.start({
      env: { TOCSIN_DATA_DIR: at('resumed'), TOCSIN_PLAYBOOKS_DIR: at('resumed-playbooks') },
    })
    expect((await server.call(`/runs/${waiting}`)).body.status).to.equal('waiting')
    await server.stop()
  })

  it('restores nothing without the right master key', async () => {
    for (const key of [undefined, Buffer.alloc(32, 7).toString('base64')]) {
      await rm(at('keyless'), { recursive: true, force: true })
      await mkdir(at('keyless'), { mode: 0o700 })
      if (key !== undefined) await writeFile(at('keyless/master.key'), key, { mode: 0o600 })
      const { code, stderr } = await restoreInto('keyless')
      expect(code).to.equal(1)
      expect(stderr).to.match(
        /^error the master key of the backup is neither .*master\.key nor in the backup\nhint /,
      )
      expect(existsSync(at('keyless/tocsin.db'))).to.equal(false)
    }
    const env = { TOCSIN_MASTER_KEY: (await readFile(at('data/master.key'), 'utf8')).trim() }
    expect((await tocsin(['restore', first.file], 'keyless', env)).code, 'from the environment').to.equal(0)
  })

  it('reads the key from the backup if it is included', async () => {
    const file = at('with-key.db')
    const { stdout } = await tocsin(['backup', file, '--with-master-key'], 'data')
    expect(stdout).to.contain('it contains the master key')
    expect((await tocsin(['restore', file], 'keyed')).code).to.equal(0)
    expect(await readFile(at('keyed/master.key'))).to.deep.equal(await readFile(at('data/master.key')))
    expect(((await stat(at('keyed/master.key'))).mode & 0o777).toString(8)).to.equal('600')
  })

  it('puts playbooks aside if their folder is not writable, restores the data, and says how to move them', async () => {
    await withKey('foreign')
    await writeFile(at('no-folder'), '')
    const folder = at('no-folder/playbooks')
    const { code, stdout } = await tocsin(['restore', first.file], 'foreign', {
      TOCSIN_PLAYBOOKS_DIR: folder,
    })
    expect(code).to.equal(0)
    expect(stdout).to.contain(`note.yaml could not be written to ${folder} (ENOTDIR)`)
    const command = /^ *(cp .*)$/m.exec(stdout)?.[1] ?? ''
    expect(command).to.contain(`'${folder}'/`)
    expect((await tocsin(['keys', 'list'], 'foreign')).stdout).to.contain('bootstrap')
    await rm(at('no-folder'))
    await mkdir(folder, { recursive: true })
    await promisify(execFile)('sh', ['-c', command])
    expect(await readFile(join(folder, 'note.yaml'))).to.deep.equal(await readFile(at('playbooks/note.yaml')))
    expect((await readdir(at('foreign'))).filter((name) => name.includes('playbooks'))).to.deep.equal([])
  })

  it('leaves no data directory after a refusal', async () => {
    const file = at('no-backup.db')
    await writeFile(file, 'x')
    expect((await tocsin(['restore', file], 'never')).code).to.equal(1)
    expect((await tocsin(['restore', first.file], 'never')).code, 'without the key').to.equal(1)
    expect(existsSync(at('never'))).to.equal(false)
  })

  it('replaces existing data only on request and puts it aside completely', async () => {
    await withKey('taken')
    await restoreInto('taken')
    await tocsin(['keys', 'create', 'made-since'], 'taken')
    await writeFile(at('taken-playbooks/note.yaml'), 'edited since')
    const refused = await restoreInto('taken')
    expect(refused.code).to.equal(1)
    expect(refused.stderr).to.contain('already contains the data of a server')
    const { code, stdout } = await restoreInto('taken', '--replace')
    expect(code).to.equal(0)
    expect(stdout).to.contain('note.yaml differs from the backup and was not changed')
    expect(await readFile(at('taken-playbooks/note.yaml'), 'utf8')).to.equal('edited since')
    expect((await tocsin(['keys', 'list'], 'taken')).stdout).not.to.contain('made-since')
    const aside = /previous database is now (\S+)/.exec(stdout)?.[1] ?? ''
    await withKey('aside')
    await writeFile(at('aside/tocsin.db'), await readFile(aside), { mode: 0o600 })
    expect((await tocsin(['keys', 'list'], 'aside')).stdout).to.contain('made-since')
  })

  it('refuses other and damaged files and changes nothing', async () => {
    await withKey('spared')
    await restoreInto('spared')
    const before = await readFile(at('spared/tocsin.db'))
    const whole = await readFile(first.file)
    const damaged = Buffer.from(whole)
    const page = pageOf('api_key_organizations')
    damaged.fill(0xff, (page - 1) * 4096, page * 4096)
    const files: readonly (readonly [string, string | Uint8Array, RegExp])[] = [
      ['text', 'hello '.repeat(1000), /was not made by `tocsin backup`/],
      ['beginning like one', 'SQLite foreign', /was not made by `tocsin backup`/],
      ['database', await readFile(at('data/tocsin.db')), /was not made by `tocsin backup`/],
      ...[0, 10, 60, 100, 512, 8192, 20_000, damaged.length - 1].map(
        (size) =>
          [
            `cut-${size}`,
            whole.subarray(0, size),
            new RegExp(`is damaged: it is truncated to ${size} .*\n.*use another backup`),
          ] as const,
      ),
      ['damaged', damaged, /is damaged: .*\n.*use another backup/],
      ['damaged-schema', Buffer.from(whole).fill(0xff, 100, 4096), /is damaged: .*\n.*use another backup/],
    ]
    for (const [name, content, says] of files) {
      await writeFile(at(name), content)
      const { code, stderr } = await tocsin(['restore', at(name), '--replace'], 'spared')
      expect(code, name).to.equal(1)
      expect(stderr, name).to.match(says)
      expect((await readFile(at('spared/tocsin.db'))).equals(before), name).to.equal(true)
      expect((await readdir(at('spared'))).filter((one) => one.includes('restoring'))).to.deep.equal([])
    }
  })

  it('leaves no partial file after a write error', async () => {
    await mkdir(at('closed'), { mode: 0o500 })
    if (process.getuid?.() === 0) await rm(at('closed'), { recursive: true })
    const { code } = await tocsin(['backup', at('closed/backup.db')], 'data')
    expect(code).to.equal(1)
    expect(existsSync(at('closed/backup.db'))).to.equal(false)
    if (existsSync(at('closed'))) await chmod(at('closed'), 0o700)
  })

  it('reports a missing master key beside an existing database instead of creating one', async () => {
    await withKey('lost')
    await restoreInto('lost')
    await rm(at('lost/master.key'))
    const { code, stderr } = await tocsin(['keys', 'list'], 'lost')
    expect(code).to.equal(1)
    expect(stderr).to.contain('has a database but no master key')
    expect(existsSync(at('lost/master.key'))).to.equal(false)
  })
})
