import { execFileSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { expect } from 'chai'
import { eventually } from '../support/eventually.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'
import { killCommands, runTocsin, startTocsinCommand } from '../support/server/run-tocsin.ts'
import { startServer, type RunningServer } from '../support/server/start-server.ts'

/** A Node of this machine that cannot run TypeScript, or the current Node pretending to be one. */
const olderNode = installedOlderNode() ?? [
  process.execPath,
  '--import',
  `data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'20.19.0'}})`,
]

function installedOlderNode(): readonly string[] | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  const found = folders
    .filter((folder) => folder !== '' && !folder.includes('node_modules'))
    .map((folder) => join(folder, 'node'))
    .find((path) => isOlder(path))
  return found === undefined ? undefined : [found]
}

function isOlder(path: string): boolean {
  try {
    const [, major = 0] = /^v(\d+)\./.exec(execFileSync(path, ['--version'], { encoding: 'utf8' })) ?? []
    return Number(major) < 22
  } catch {
    return false // none found, or it does not start
  }
}

/** The process started by a wrapper. */
const childOf = (pid: number): Promise<number> =>
  eventually('the child of the wrapper', async () => {
    const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')
    return children === '' ? undefined : Number.parseInt(children, 10)
  })

describe('tocsin under an older Node', function () {
  this.timeout(60_000)
  let folder: TemporaryFolder
  before(async () => (folder = await makeTemporaryFolder()))
  after(async () => {
    await killCommands()
    await folder.remove()
  })

  const run = (...args: string[]) => runTocsin(args, { node: olderNode, cwd: folder.path })
  const serve = async (name: string): Promise<RunningServer> => {
    const server = await startServer({ cwd: folder.path, dataDir: name, node: olderNode })
    // It certainly listens to signals in the event loop turn after it reports its start.
    expect((await fetch(`${server.url}/healthz`)).status).to.equal(200)
    return server
  }

  it('exits with the exit code of the command', async () => {
    expect((await run('--version')).code).to.equal(0)
    expect((await run('validate', 'missing')).code).to.equal(1)
    expect((await run('--nothing')).code).to.equal(2)
  })

  it('stops the server gracefully on SIGTERM and SIGINT', async () => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      const server = await serve(signal)
      const { code, signal: endedBy } = await server.stop(signal)
      expect({ code, endedBy }).to.deep.equal({ code: 0, endedBy: null })
    }
  })

  it('leaves no server running, however the first process ends', async () => {
    for (const signal of ['SIGKILL', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'] as const) {
      const server = await serve(signal)
      // Ends when no process holds its standard output, which the server inherits: then the server
      // is gone.
      const { code, signal: endedBy } = await server.stop(signal)
      expect({ code, endedBy }).to.deep.equal({ code: null, endedBy: signal })
      const answer = await fetch(`${server.url}/healthz`).then(
        () => 'answers',
        () => 'gone',
      )
      expect(answer).to.equal('gone')
    }
  })

  it('leaves no starting server running', async () => {
    const dataDir = join(folder.path, 'starting')
    const options = { node: olderNode, env: { TOCSIN_DATA_DIR: dataDir, TOCSIN_PORT: '0' } }
    const started = startTocsinCommand(['serve'], options)
    await childOf(started.process.pid!)
    started.process.kill('SIGKILL')
    expect((await started.ended).signal).to.equal('SIGKILL')
  })

  it('ends with the signal that ended the server', async () => {
    const server = await serve('killed')
    process.kill(await childOf(server.command.process.pid!), 'SIGKILL')
    const { code, signal } = await server.command.ended
    expect({ code, signal }).to.deep.equal({ code: null, signal: 'SIGKILL' })
  })
})
