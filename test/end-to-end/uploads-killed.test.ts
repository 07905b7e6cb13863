import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect } from 'chai'
import { SqliteConnection } from '../../server/sqlite/database/connection.ts'
import { sha256 } from '../contract/case-file-store.ts'
import { eventually } from '../support/eventually.ts'
import { startTestTocsin, type TestTocsin } from '../support/server/test-tocsin.ts'

describe('an upload whose process is killed', function () {
  this.timeout(60_000)
  let tocsin: TestTocsin
  before(async () => {
    tocsin = await startTestTocsin({ playbooks: {} })
  })
  after(() => tocsin?.close())

  function pieces(): number {
    const database = new SqliteConnection(join(tocsin.folder, 'data/tocsin.db'))
    try {
      return database.one<{ n: number }>('SELECT count(*) AS n FROM file_pieces').n
    } finally {
      database.close()
    }
  }

  it('leaves no half file, and attaches the file once if it is repeated with its Idempotency-Key', async () => {
    await tocsin.addPlaybook('open', '- set: { x: 1 }\n')
    await tocsin.restart()
    const { body: alert } = await tocsin.investigate({ type: 'open', content: 'x' })
    const files = `/cases/${alert.case_id}/files`
    const content = randomBytes(6 * 1_048_576)
    const { hostname, port } = new URL(tocsin.server.url)
    const socket = connect(Number(port), hostname)
    socket.on('error', () => undefined)
    await once(socket, 'connect')
    const head = [
      `POST /api${files}?name=dump.bin HTTP/1.1`,
      'host: localhost',
      `authorization: Bearer ${tocsin.server.adminKey}`,
      'idempotency-key: dump',
      `content-length: ${content.length}`,
    ]
    socket.write(`${head.join('\r\n')}\r\n\r\n`)
    await new Promise((resolve) => socket.write(content.subarray(0, 4 * 1_048_576), resolve))
    await eventually('pieces on the disk', async () => (pieces() > 1 ? true : undefined))
    await tocsin.server.stop('SIGKILL')
    socket.destroy()
    await tocsin.start()
    expect((await tocsin.call(files)).body.data, 'after the restart').to.deep.equal([])

    const upload = async () => {
      const response = await fetch(`${tocsin.server.url}/api${files}?name=dump.bin`, {
        method: 'POST',
        headers: { authorization: `Bearer ${tocsin.server.adminKey}`, 'idempotency-key': 'dump' },
        body: content,
      })
      return { status: response.status, body: (await response.json()) as { readonly sha256: string } }
    }
    const first = await upload()
    expect([first.status, first.body.sha256]).to.deep.equal([201, sha256(content)])
    await tocsin.server.stop('SIGKILL')
    await tocsin.start()
    expect(await upload()).to.deep.equal(first)
    expect((await tocsin.call(files)).body.data).to.deep.equal([first.body])
    const { body } = await tocsin.call(`/cases/${alert.case_id}/timeline?limit=200`)
    expect(body.data.filter(({ kind }: { kind: string }) => kind === 'file')).to.have.length(1)
    const read = await tocsin.fetch(`/api${files}/${first.body.sha256}`, tocsin.server.adminKey)
    expect(Buffer.from(await read.arrayBuffer()).equals(content)).to.equal(true)
  })
})
