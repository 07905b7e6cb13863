import { expect } from 'chai'
import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { killCommands, runTocsin } from '../cli/support/run-tocsin.ts'
import { startServer } from '../cli/support/start-server.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'

describe('the process of a server', () => {
  let folder: TemporaryFolder
  let dataDir: string

  beforeEach(async () => {
    folder = await makeTemporaryFolder()
    dataDir = join(folder.path, 'data')
    await mkdir(dataDir)
    await chmod(dataDir, 0o755)
  })
  afterEach(async () => {
    await killCommands()
    await folder.remove()
  })

  it('writes for its owner only, into a directory that it has closed to others', async function () {
    const server = await startServer({ dataDir })
    expect((await stat(dataDir)).mode & 0o777).to.equal(0o700)
    if (process.platform !== 'linux') this.skip()
    const status = await readFile(`/proc/${server.command.process.pid}/status`, 'utf8')
    expect(status).to.match(/^Umask:\t0077$/m)
  })

  it('does not start, and says what to do, where others may enter what is not its own', async () => {
    await writeFile(join(dataDir, 'notes.txt'), '')
    const { code, stderr } = await runTocsin(['serve'], {
      env: { TOCSIN_DATA_DIR: dataDir, TOCSIN_PORT: '0' },
    })
    expect(code).to.equal(1)
    expect(stderr).to.match(
      /^error .*data is open to other users \(mode 755\), and 'notes\.txt' in it is not Tocsin's\nhint {2}let /,
    )
    expect((await stat(dataDir)).mode & 0o777).to.equal(0o755)
  })
})
