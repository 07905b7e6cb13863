import { join } from 'node:path'
import { expect } from 'chai'
import { killCommands, startTocsinCommand, runTocsin } from '../support/server/run-tocsin.ts'
import { startServer } from '../support/server/start-server.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'
import { canTrace, failing } from './support/strace.ts'

/** Failing reads of the database; `when` covers opening the file, its first pages, and later pages. */
const faults = [
  [
    'openat:error=EACCES',
    /cannot read .*tocsin\.db: EACCES.*\n.*Give this user read and write access to the file/,
  ],
  ['openat:error=EIO', /cannot read .*tocsin\.db: EIO.*\n.*Check the disk/],
  ['pread64:error=EIO', /disk I\/O error\n.*Check the disk/],
  ['pread64:error=EIO:when=3+', /disk I\/O error\n.*Check the disk/],
  ['pread64:error=EIO:when=60+', /cannot read .*tocsin\.db: EIO.*\n.*Check the disk/],
] as const

describe('an unreadable database', function () {
  this.timeout(60_000)
  let folder: TemporaryFolder

  before(async function () {
    if (!canTrace) this.skip()
    folder = await makeTemporaryFolder()
    const server = await startServer({ dataDir: env().TOCSIN_DATA_DIR, cwd: folder.path })
    // More data than is read before a backup or check reads the whole file.
    const body = {
      alert_provider: 'custom',
      organization_code: 'main',
      alert_type: 'large',
      alert_content: 'x'.repeat(900_000),
    }
    expect((await server.call('/alerts', { body })).status).to.equal(201)
    expect((await server.stop()).code).to.equal(0)
  })
  after(async () => {
    await killCommands()
    await folder?.remove()
  })

  const env = () => ({ TOCSIN_DATA_DIR: join(folder.path, 'data') })
  const tocsin = (...args: string[]) => runTocsin(args, { env: env(), cwd: folder.path })
  const faulty = (injection: string, path: string, ...args: string[]) =>
    startTocsinCommand(args, { env: env(), cwd: folder.path, under: failing(injection, path) }).ended

  for (const [injection, says] of faults) {
    it(`is not reported as damaged by commands: ${injection}`, async () => {
      const database = join(folder.path, 'data/tocsin.db')
      const backup = await faulty(injection, database, 'backup', join(folder.path, `${injection}.db`))
      expect(backup.code).to.equal(1)
      expect(backup.stderr).to.match(says)
      const doctor = await faulty(injection, database, 'doctor', '--offline')
      const finding = /^problem +database:.*\n.*$/m.exec(doctor.stdout)?.[0] ?? doctor.stdout
      expect(finding).to.match(says)
      for (const text of [backup.stderr, doctor.stdout])
        expect(text).not.to.match(/damaged|malformed|restore|bug in Tocsin|copy of the key\b/)
    })
  }

  it('is reported for a backup too, without a claim about its content', async () => {
    const file = join(folder.path, 'whole.db')
    expect((await tocsin('backup', file, '--with-master-key')).code).to.equal(0)
    for (const call of ['openat', 'pread64']) {
      const { code, stderr } = await faulty(`${call}:error=EIO`, file, 'restore', file, '--replace')
      expect(code).to.equal(1)
      expect(stderr).to.match(
        /cannot read .*whole\.db: EIO.*\n.*Check its disk and the system log, or use another backup/,
      )
    }
    const { stderr } = await faulty('openat:error=EACCES', file, 'restore', file, '--replace')
    expect(stderr).to.match(/cannot read .*whole\.db: EACCES.*\n.*Give this user read/)
  })
})
