import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect } from 'chai'
import { writeBackupFile } from '../../server/sqlite/file/backup-file.ts'
import { runTocsin } from '../support/server/run-tocsin.ts'
import { startServer } from '../support/server/start-server.ts'
import { adminKey, clockOfFirstRelease, fixture } from '../faults/support/first-release.ts'
import { makeTestTocsin, type TestTocsin } from '../support/server/test-tocsin.ts'

describe('a backup of the first release', function () {
  this.timeout(60_000)
  let house: TestTocsin
  afterEach(() => house?.close())

  it('restores into the current version, which migrates it, and resumes waiting runs with --resume', async () => {
    house = await makeTestTocsin()
    const old = join(house.folder, 'old.db')
    await writeFile(old, gunzipSync(await readFile(fixture('tocsin.db.gz'))), { mode: 0o600 })
    const backup = join(house.folder, 'backup.db')
    writeBackupFile(old, backup, [], Date.now())
    await mkdir(join(house.folder, 'data'), { mode: 0o700 })
    await writeFile(join(house.folder, 'data/master.key'), await readFile(fixture('master.key')), {
      mode: 0o600,
    })
    const env = { TOCSIN_DATA_DIR: join(house.folder, 'data') }
    const restored = await runTocsin(['restore', backup, '--resume'], { cwd: house.folder, env })
    expect(restored.code, restored.stderr).to.equal(0)
    const clock = clockOfFirstRelease(join(house.folder, 'data/tocsin.db'))
    const server = await startServer({ cwd: house.folder, dataDir: 'data', adminKey, env: clock })
    const [run] = (await server.call('/runs?playbook=asks')).body.data
    expect(run.status).to.equal('waiting')
    expect((await server.call('/alerts')).body.data).to.have.length(3)
    await server.stop()
    const again = join(house.folder, 'again.db')
    expect((await runTocsin(['backup', again], { cwd: house.folder, env })).code).to.equal(0)
    const examined = await runTocsin(['doctor', '--json', '--offline'], {
      cwd: house.folder,
      env: { ...env, TOCSIN_PORT: '0' },
    })
    const checks: { readonly check: string; readonly status: string }[] = JSON.parse(examined.stdout)
    expect(checks.find(({ check }) => check === 'database')?.status).to.equal('ok')
  })
})
