import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createServer } from 'node:tls'
import { expect } from 'chai'
import { killCommands, runTocsin } from '../support/server/run-tocsin.ts'
import { startServer } from '../support/server/start-server.ts'
import { eventually } from '../support/eventually.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'

const fixtures = join(import.meta.dirname, '../egress/fixtures')

describe('the export of the audit log by a server', function () {
  this.timeout(60_000)
  let folder: TemporaryFolder
  beforeEach(async () => (folder = await makeTemporaryFolder()))
  afterEach(async () => {
    await killCommands()
    await folder.remove()
  })

  it('loses nothing on a kill of the server, reaches a receiver over TLS, and reports its lag', async () => {
    const [key, cert] = await Promise.all(
      ['localhost.key.pem', 'localhost.cert.pem'].map((name) => readFile(join(fixtures, name))),
    )
    let received = ''
    const receiver = createServer({ key: key!, cert: cert! }, (socket) => {
      socket.setEncoding('utf8').on('error', () => undefined)
      socket.on('data', (text: string) => (received += text))
    }).listen(0, '127.0.0.1')
    await once(receiver, 'listening')
    const { port } = receiver.address() as AddressInfo
    const dataDir = join(folder.path, 'data')
    const file = join(folder.path, 'audit.jsonl')
    const env = {
      TOCSIN_AUDIT_EXPORT: `file:${file}, syslog+tls://localhost:${port}`,
      NODE_EXTRA_CA_CERTS: join(fixtures, 'localhost.cert.pem'),
    }
    const sequences = async () =>
      (await readFile(file, 'utf8'))
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => (JSON.parse(line) as { sequence: number }).sequence)

    let server = await startServer({ dataDir, env })
    const { adminKey } = server
    await server.stop('SIGKILL')
    server = await startServer({ dataDir, env, adminKey })
    await server.call('/keys', { body: { name: 'made after the kill', role: 'reader' } })
    const { sequence } = (await server.call('/audit?limit=1')).body.data[0]
    await eventually('all entries', async () => ((await sequences()).at(-1) === sequence ? true : undefined))
    const all = Array.from({ length: sequence as number }, (_, at) => at + 1)
    expect([...new Set(await sequences())]).to.deep.equal(all)
    await eventually('the receiver', () => (received.includes(`sequence="${sequence}"`) ? true : undefined))

    await eventually('the lag', async () => {
      const figures = await (
        await fetch(`${server.url}/metrics`, { headers: { cookie: `Session=${adminKey}` } })
      ).text()
      return figures.includes(`tocsin_audit_export_lag{destination="file:${file}"} 0`) ? true : undefined
    })
    await server.stop()
    const { stdout } = await runTocsin(['doctor', '--offline'], { env: { ...env, TOCSIN_DATA_DIR: dataDir } })
    expect(stdout).to.match(/audit export file:\S+\s+all entries exported, up to \d+/)
    receiver.close()
  })
})
