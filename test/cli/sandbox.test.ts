import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { join } from 'node:path'
import { expect } from 'chai'
import { eventually } from '../support/eventually.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'
import {
  killCommands,
  runTocsin,
  startTocsinCommand,
  type RunningCommand,
} from '../support/server/run-tocsin.ts'
import { startServer, type RunningServer } from '../support/server/start-server.ts'

const listening = async (port: number): Promise<Server> => {
  const server = createServer().listen(port, '127.0.0.1')
  await once(server, 'listening')
  return server
}
const closed = (server: Server) => new Promise((resolve) => server.close(resolve))

/** Servers on two adjacent free ports. */
async function adjacentServers(): Promise<readonly [first: number, Server, Server]> {
  for (;;) {
    const first = await listening(0)
    const { port } = first.address() as AddressInfo
    const second = await listening(port + 1).catch(() => undefined)
    if (second !== undefined) return [port, first, second]
    await closed(first)
  }
}

/** A person's input, line by line. */
const typing = (...lines: readonly string[]) => ({ input: [...lines, 'quit', ''].join('\n') })

const playbook = `apiVersion: tocsin/v1
name: ask
on: { alert: { type: sign_in } }
steps:
  - id: confirm
    checkpoint:
      via: messaging.checkpoint
      with: { user: kim@example.com, message: 'Was this <you>?', labels: { mine: 'Yes, me' } }
      answers: [mine, not_mine]
      timeout: 10m
  - uses: messaging.send_message
    with: { text: 'Asked and answered.' }
  - uses: case.update
    with: { summary: 'The answer is \${{ steps.confirm.output.answer }}.' }
`

describe('tocsin sandbox', function () {
  after(killCommands)

  it('starts every sandbox and says how to connect each', async () => {
    const { code, stdout, stderr } = await runTocsin(['sandbox'], typing())
    expect({ code, stderr }, stdout).to.deep.equal({ code: 0, stderr: '' })
    const plugins = ['endpoint_security', 'intel_provider', 'messaging', 'threat_platform', 'travel']
    for (const plugin of plugins) {
      const [, url = ''] = new RegExp(`^ +${plugin} +(http://127.0.0.1:\\d+)$`, 'm').exec(stdout) ?? []
      const [, body = ''] = new RegExp(`-d '(\\{.*"plugin":"${plugin}".*\\})'`).exec(stdout) ?? []
      const { name, organization_code: organization, settings } = JSON.parse(body)
      expect({ name, organization }).to.deep.equal({
        name: `sandbox-${plugin.replace('_', '-')}`,
        organization: 'main',
      })
      expect(JSON.stringify(settings)).to.contain(url)
    }
    expect(stdout).to.contain('TOCSIN_ALLOW_PRIVATE_EGRESS=127.0.0.1')
  })

  it('starts named sandboxes on the given ports', async () => {
    const [port, ...others] = await adjacentServers()
    await Promise.all(others.map(closed))
    const { process, ended, hasPrinted } = startTocsinCommand([
      'sandbox',
      'travel',
      'http',
      '--port',
      `${port}`,
    ])
    const stdout = await hasPrinted(/Ctrl-C/)
    expect(stdout).to.contain(`travel  http://127.0.0.1:${port}\n`)
    expect(stdout).to.contain(`http    http://127.0.0.1:${port + 1}\n`)
    expect(stdout).not.to.contain('messaging')
    process.kill('SIGINT')
    expect(await ended).to.include({ code: 0, stderr: '' })
  })

  it('names the port in use and leaves nothing running', async () => {
    const [port, first, taken] = await adjacentServers()
    await closed(first)
    try {
      const { code, stderr } = await runTocsin(['sandbox', 'http', 'travel', '--port', `${port}`])
      expect({ code, stderr }).to.deep.equal({
        code: 1,
        stderr:
          `error the sandbox of travel cannot use port ${port + 1}: another program listens there\n` +
          'hint  choose another --port, or omit it to use free ports\n',
      })
    } finally {
      await closed(taken)
    }
  })

  it('refuses a plugin it cannot start or reach, with a hint', async () => {
    const wrong = [
      [['bells'], /the plugin 'bells' has no sandbox\nhint .*endpoint_security, .*travel/],
      [['case'], /the plugin 'case' has no sandbox/],
      [['--connect', 'localhost'], /'localhost' is not the address of a server\nhint .*http:/],
      [['http', '--connect', 'http://127.0.0.1:9'], /needs the key of an administrator\nhint .*TOCSIN_KEY/],
      [
        ['http', '--connect', 'http://127.0.0.1:9', '--key', 'k'],
        /no server answers at http:.*:9\/api\nhint /,
      ],
    ] as const
    for (const [args, says] of wrong) {
      const { code, stderr } = await runTocsin(['sandbox', ...args])
      expect(code, stderr).to.equal(1)
      expect(stderr).to.match(says)
    }
  })

  it('runs typed commands and reports unknown ones', async () => {
    const { code, stdout } = await runTocsin(
      ['sandbox', 'travel', 'endpoint_security', 'threat_platform', 'intel_provider'],
      typing(
        'help\n\nfial\nexpire\ntravel expire\ntravel\ncancel\ncancel 99\ncancel 1',
        'book kim@example.com BR 2026-03-02 2026-03-06\nbookings\nmachines\nopen high Two  leaks',
        'set alert_125 resolved\nscore ip 192.0.2.9 90\nfail travel oops\nfail travel 429 2\nlimit travel none\nlimit travel 5\nheal',
      ),
    )
    expect(code, stdout).to.equal(0)
    for (const said of [
      /^travel\n {2}bookings +every booking/m,
      /^no unknown command 'fial': did you mean fail\?$/m,
      /^no several have 'expire': write 'travel expire' or 'endpoint_security expire'$/m,
      /^the next request is refused and must get a new token$/m,
      /^no travel has: bookings, book, cancel, expire$/m,
      /^no write it as: cancel <number>$/m,
      /^no there is no booking 99; 'bookings' lists them$/m,
      /^ana@example.com +FLIGHT +DE to GB +2026-01-20 to 2026-01-24 +CANCELED$/m,
      /^\d+ +kim@example.com +FLIGHT +DE to BR +2026-03-02 to 2026-03-06 +TICKETED$/m,
      /^3f0c\w+ +reachable +Active +desk-042.example.com$/m,
      /^alert_125 +Open +High +\S+ +Two {2}leaks$/m,
      /^alert_125 +Resolved /m,
      /^90 +ip 192.0.2.9$/m,
      /^no unknown fault 'oops'; 'faults' lists them$/m,
      /^the next 2 requests to travel: 429$/m,
      /^no 'none' is not a valid number of requests$/m,
      /^at most 5 a minute: travel$/m,
      /^healed: travel, endpoint_security, threat_platform, intel_provider$/m,
    ])
      expect(stdout).to.match(said)
  })

  describe('on a running server', () => {
    let folder: TemporaryFolder
    let server: RunningServer
    let sandboxes: RunningCommand

    before(async () => {
      folder = await makeTemporaryFolder()
      await mkdir(join(folder.path, 'playbooks'))
      await writeFile(join(folder.path, 'playbooks/ask.yaml'), playbook)
      server = await startServer({
        dataDir: join(folder.path, 'data'),
        cwd: folder.path,
        env: { TOCSIN_ALLOW_PRIVATE_EGRESS: '127.0.0.1' },
      })
    })
    after(async () => {
      await killCommands()
      await folder.remove()
    })

    const start = () =>
      startTocsinCommand(['sandbox', 'messaging', 'intel_provider', '--connect', server.url], {
        env: { TOCSIN_KEY: server.adminKey },
      })
    const type = (line: string) => sandboxes.process.stdin.write(`${line}\n`)

    it('creates the connections, shows requests, and answers a question by hand', async () => {
      sandboxes = start()
      await sandboxes.hasPrinted(
        /connection sandbox-intel-provider +made[^]*connection sandbox-messaging +made|connection sandbox-messaging +made[^]*connection sandbox-intel-provider +made/,
      )
      const alert = {
        alert_provider: 'custom',
        organization_code: 'main',
        alert_type: 'sign_in',
        alert_content: 'x',
      }
      const posted = await server.call('/alerts', { body: alert })
      expect(posted.status).to.equal(201)
      await sandboxes.hasPrinted(
        /messaging +message 1 to kim@example.com\n +Was this <you>\?\n[^]*\[Yes, me\] \[not_mine\]/,
      )
      type('click kim@example.com perhaps')
      await sandboxes.hasPrinted(/no message 1 has the buttons 'Yes, me', 'not_mine'/)
      type('click kim@example.com yes, me')
      await sandboxes.hasPrinted(/kim@example.com pressed 'Yes, me', and the platform accepted it/)
      const [summary] = await eventually('the case', async () => {
        const { data } = (await server.call('/cases')).body
        return data.some((one: any) => one.summary !== null && one.summary !== '')
          ? data.map((one: any) => one.summary)
          : undefined
      })
      expect(summary).to.equal('The answer is mine.')
      await sandboxes.hasPrinted(/message 1 to kim@example.com, changed/)
      await sandboxes.hasPrinted(/messaging +channel: Asked and answered\./)
    })

    it('lets the next requests fail and shows them without secrets', async () => {
      type('fail intel_provider 503')
      await sandboxes.hasPrinted(/the next request to intel_provider: 503/)
      const path = '/connections/sandbox-intel-provider/authenticate'
      expect((await server.call(path, { method: 'POST', body: {} })).status).not.to.equal(200)
      expect((await server.call(path, { method: 'POST', body: {} })).status).to.equal(200)
      const stdout = await sandboxes.hasPrinted(
        /intel_provider +GET \S+ +503\n[^]*intel_provider +GET \S+ +200\n/,
      )
      expect(stdout).to.match(/messaging +POST \/api\/auth.test +200/)
      expect(stdout).to.match(/messaging +POST \[redacted\] +200/)
      expect(stdout).not.to.match(/xoxb-|8f742231b10e8888|b1946ac92492d2347c6235b4d2611184|q7Rk2Lx|token=/)
    })

    it('updates its connections after moving to other ports, and ends on Ctrl-C', async () => {
      sandboxes.process.kill('SIGINT')
      expect(await sandboxes.ended).to.include({ code: 0, stderr: '' })
      sandboxes = start()
      await sandboxes.hasPrinted(/sandbox-messaging +changed, its credentials work/)
      sandboxes.process.kill('SIGINT')
      expect(await sandboxes.ended).to.include({ code: 0, stderr: '' })
      const { body } = await server.call('/connections')
      expect(body.total).to.equal(2)
    })
  })
})
