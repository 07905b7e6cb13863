import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { killCommands } from '../cli/support/run-tocsin.ts'
import { startServer, type RunningServer } from '../cli/support/start-server.ts'
import { readCurl } from '../http/support/curl.ts'
import { eventually } from '../support/eventually.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'

describe('tocsin serve', function () {
  this.timeout(30_000)
  let folder: TemporaryFolder
  let server: RunningServer

  before(async () => {
    folder = await makeTemporaryFolder()
    server = await startServer({ cwd: folder.path, dataDir: 'data' })
  })
  after(async () => {
    await killCommands()
    await folder.remove()
  })

  /** The commands it says to paste, in their order. */
  const commands = () => server.welcome.match(/^ {2}curl (?:.*\\\n)*.*$/gm) ?? []

  it('says at its first start where it listens, what it found, and the key', () => {
    expect(server.welcome).to.match(/^Tocsin is listening on http:\/\/127\.0\.0\.1:\d+\n/)
    expect(server.welcome)
      .to.contain(join(folder.path, 'data'))
      .and.match(/indicators.*\(\d+ skills\)/)
    expect(server.welcome).to.match(
      /\nThis admin key is shown once; keep it:\n\n {2}toc_[0-9a-f]{12}_[\w-]{43}\n/,
    )
    expect(commands()).to.have.length(4)
  })

  it('shows a command that posts the first alert when it is pasted, and waits for its investigation', async () => {
    const [post = ''] = commands()
    const answer = await paste(post)
    expect(answer.status).to.equal(201)
    expect(answer.body).to.include({
      alert_id: 'main-custom-1',
      alert_type: 'first_alert',
      organization_code: 'main',
      investigation_status: 15,
    })
  })

  it('investigates that alert with a playbook it makes, and shows how to look at the case and the playbook', async () => {
    const alert = await ended(server, 'main-custom-1')
    expect(alert).to.include({
      investigation_status: 15,
      case_id: 'main-1',
      investigator: 'investigate-first-alert-main',
    })
    const [, look = ''] = commands()
    const shown = await paste(look)
    expect(shown.status).to.equal(200)
    expect(shown.body).to.include({ case_id: 'main-1', organization_code: 'main' })
    expect(JSON.stringify(shown.body)).to.contain('main-custom-1')
    const [, , read = ''] = commands()
    const { body: playbook } = await paste(read)
    expect(playbook).to.include({ name: alert.investigator, origin: 'made' })
    expect(playbook.source)
      .to.match(/^# Made by Tocsin/)
      .and.contain('type: "first_alert"')
  })

  it('shows a command that makes a connection, with places to fill in', async () => {
    const [, , , connect = ''] = commands()
    const made = await paste(
      connect.replace('<ADDRESS>', 'intel.example').replace('<KEY>', 'key-of-the-provider'),
    )
    expect(made.status, JSON.stringify(made.body)).to.equal(201)
    expect(made.body).to.include({ plugin: 'intel_provider', organization_code: 'main' })
  })

  it('ends with 0 soon after SIGTERM, and goes on with the same data and without a new key', async () => {
    const begun = Date.now()
    expect(await server.stop('SIGTERM')).to.include({ code: 0, signal: null, stderr: '' })
    expect(Date.now() - begun, 'far less than it waits for runs').to.be.lessThan(15_000)
    const again = await startServer({ cwd: folder.path, dataDir: 'data', adminKey: server.adminKey })
    expect(again.welcome).not.to.contain('toc_').and.not.contain('curl')
    const { body } = await again.call('/alerts/main-custom-1')
    expect(body).to.include({ investigation_status: 15, case_id: 'main-1' })
    expect(await again.stop('SIGINT')).to.include({ code: 0, signal: null, stderr: '' })
  })
})

describe('tocsin serve, told to stop while it works,', function () {
  this.timeout(30_000)
  let folder: TemporaryFolder
  let silent: Server
  const sockets = new Set<Socket>()

  beforeEach(async () => {
    folder = await makeTemporaryFolder()
    silent = createServer((socket) => sockets.add(socket.on('error', () => undefined))).listen(0, '127.0.0.1')
    await once(silent, 'listening')
  })
  afterEach(async () => {
    await killCommands()
    for (const socket of sockets) socket.destroy()
    silent.close()
    await folder.remove()
  })

  /** A server with a run under way that waits for another system. */
  async function startBusy(): Promise<RunningServer> {
    const { port } = silent.address() as { port: number }
    await mkdir(join(folder.path, 'playbooks'))
    const source = `apiVersion: tocsin/v1\nname: waits\non: { alert: { type: slow } }\nsteps:\n  - uses: http.get\n    connection: silent\n    with: { path: / }\n`
    await writeFile(join(folder.path, 'playbooks/waits.yaml'), source)
    const env = { TOCSIN_ALLOW_PRIVATE_EGRESS: `127.0.0.1:${port}` }
    const server = await startServer({ cwd: folder.path, dataDir: 'data', env })
    const settings = { base_url: `http://127.0.0.1:${port}` }
    await server.call('/connections', {
      body: { organization_code: 'main', plugin: 'http', name: 'silent', settings },
    })
    const asked = once(silent, 'connection')
    expect((await postAlert(server, 'slow')).status).to.equal(201)
    await asked
    return server
  }

  it('lets the run end first, and takes nothing more in', async () => {
    const server = await startBusy()
    const stopped = server.stop('SIGTERM')
    await eventually('the door to close', () =>
      server.call('/engine').then(
        () => undefined,
        () => true,
      ),
    )
    expect(server.command.process.exitCode, 'it waits').to.equal(null)
    expect(await postAlert(server, 'slow').catch(() => 'refused')).to.equal('refused')
    for (const socket of sockets) socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok')
    expect(await stopped).to.include({ code: 0, signal: null })
    const again = await startServer({ cwd: folder.path, dataDir: 'data', adminKey: server.adminKey })
    expect((await ended(again, 'main-custom-1')).investigation_status).to.equal(15)
    const { body } = await again.call('/runs')
    expect(body.data, 'one run, not begun again').to.have.length(1)
  })

  it('takes the signals of one Ctrl-C as one, and ends at once at a second', async () => {
    const { command } = await startBusy()
    command.process.kill('SIGINT') // the terminal's
    command.process.kill('SIGINT') // what npm passes on
    await sleep(800)
    expect(command.process.signalCode, 'it waits').to.equal(null)
    // Again and again: a process that got little time may have taken the third for a part of the first.
    const again = setInterval(() => command.process.kill('SIGINT'), 800)
    expect(await command.ended, 'it does not wait for the run').to.include({ code: null, signal: 'SIGINT' })
    clearInterval(again)
  })
})

function postAlert(server: RunningServer, type: string) {
  const body = { alert_provider: 'custom', organization_code: 'main', alert_type: type, alert_content: 'x' }
  return server.call('/alerts', { body })
}

/** The alert as it is once its investigation has ended. */
async function ended(server: RunningServer, id: string): Promise<Record<string, any>> {
  for (let n = 0; n < 100; n++) {
    const { body } = await server.call(`/alerts/${id}`)
    if (body.investigation_status >= 15) return body
    await sleep(50)
  }
  throw new Error(`${id} is still under investigation`)
}

/** Does what the command says: in a shell with curl, or, where there is no curl, what it stands for. */
async function paste(command: string): Promise<{ readonly status: number; readonly body: any }> {
  const hasCurl = await promisify(execFile)('curl', ['--version']).then(
    () => true,
    () => false,
  )
  if (hasCurl) {
    const { stdout } = await promisify(execFile)('sh', ['-c', `${command.trim()} -w '\\n%{http_code}'`])
    const [body = '', status] = stdout.split(/\n(?=\d+$)/)
    return { status: Number(status), body: JSON.parse(body) }
  }
  const [request] = readCurl(command.trim().replace('-sS', '-s'), {})
  const { url, method, headers, body } = request!
  const response = await fetch(url, { method, headers, ...(body === undefined ? {} : { body }) })
  return { status: response.status, body: await response.json() }
}
