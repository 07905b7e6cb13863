import { existsSync, globSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { eventually } from '../support/eventually.ts'
import { killCommands, runTocsin } from '../support/server/run-tocsin.ts'
import { startServer } from '../support/server/start-server.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'

describe('compiled modules', function () {
  this.timeout(60_000)
  let folder: TemporaryFolder
  beforeEach(async () => (folder = await makeTemporaryFolder()))
  afterEach(async () => {
    await killCommands()
    await folder.remove()
  })

  const inFolder = (name: string) => join(folder.path, name)
  const kept = (name: string) => globSync('v*/*', { cwd: inFolder(name) }).length
  /** The command with none of the settings of the tests, which share a cache. */
  const runWith = (env: Readonly<Record<string, string>>) =>
    runTocsin(['--version'], {
      ownProcess: true,
      cwd: folder.path,
      env: { NODE_COMPILE_CACHE: '', TMPDIR: folder.path, HOME: inFolder('home'), ...env },
    })

  it('are kept in the cache folder of the user, not in the temporary folder of all', async () => {
    expect((await runWith({})).code).to.equal(0)
    expect(kept('home/.cache/tocsin')).to.be.greaterThan(10)
    expect((await runWith({ XDG_CACHE_HOME: inFolder('caches') })).code).to.equal(0)
    expect(kept('caches/tocsin')).to.be.greaterThan(10)
    expect(statSync(inFolder('caches/tocsin')).mode & 0o777).to.equal(0o700)
    expect(existsSync(inFolder('node-compile-cache'))).to.equal(false)
  })

  it('are not kept without a home, with a relative one, or where no folder can be', async () => {
    const homeless = `data:text/javascript,import os from 'node:os';import { syncBuiltinESMExports } from 'node:module';
      os.homedir = () => { throw new Error('none') }; syncBuiltinESMExports()`
    writeFileSync(inFolder('file'), '')
    const nowhere = [
      { NODE_OPTIONS: `--import=${JSON.stringify(homeless.replaceAll('\n', ''))}` },
      { XDG_CACHE_HOME: 'relative' },
      { XDG_CACHE_HOME: inFolder('file') },
    ]
    for (const env of nowhere) expect(await runWith(env)).to.include({ code: 0, stderr: '' })
    expect(globSync('**/v*', { cwd: folder.path })).to.deep.equal([])
  })

  it('are kept by a server that is killed', async () => {
    const server = await startServer({
      cwd: folder.path,
      dataDir: 'data',
      env: { NODE_COMPILE_CACHE: inFolder('cache') },
    })
    await eventually('the cache', () => kept('cache') > 500 || undefined)
    await server.stop('SIGKILL')
  })
})
