import { copyFile, rename } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect } from 'chai'
import { eventually } from '../support/eventually.ts'
import { makeTestTocsin, type TestTocsin } from '../support/server/test-tocsin.ts'

/** Each removes a file that a running server writes to, and returns a function that restores it. */
const losses = [
  {
    name: 'the data directory is moved away',
    async lose(data: string) {
      await rename(data, `${data}.away`)
      return () => rename(`${data}.away`, data)
    },
  },
  {
    name: 'another file is put in the place of the database',
    async lose(data: string) {
      const [path, away, copy] = ['', '.away', '.copy'].map((end) => join(data, `tocsin.db${end}`))
      await copyFile(path!, copy!)
      await rename(path!, away!)
      await rename(copy!, path!)
      return () => rename(away!, path!)
    },
  },
] as const

describe('tocsin serve without its data directory', function () {
  this.timeout(90_000)
  let house: TestTocsin
  let other: Server
  let asked: string[]

  beforeEach(async () => {
    asked = []
    other = createServer((request, response) => {
      asked.push(request.url ?? '')
      response.end('{}')
    }).listen(0, '127.0.0.1')
    house = await makeTestTocsin()
    const steps = `  - wait: 2s\n  - uses: http.get\n    connection: other\n    with: { path: / }`
    await house.addPlaybook('slow', steps)
    await house.addPlaybook('t', '  - id: a\n    set: { x: 1 }')
  })
  afterEach(async () => {
    other?.close()
    await house?.close()
  })

  for (const { name, lose } of losses) {
    it(`acknowledges nothing, begins no step, reports the loss and ends, with acknowledged alerts kept: ${name}`, async () => {
      const env = { TOCSIN_ALLOW_PRIVATE_EGRESS: '127.0.0.1' }
      const server = await house.start({ env })
      await house.connect('other', `http://127.0.0.1:${(other.address() as AddressInfo).port}`)
      expect((await house.post('slow')).status).to.equal(201)
      await eventually(
        'the wait of the run',
        async () => (await server.call('/runs')).body.data[0]?.status === 'running' || undefined,
      )
      const giveBack = await lose(join(house.folder, 'data'))

      const refused = await house.post('t')
      expect([refused.status, refused.body.code]).to.deep.equal([503, 'store_unavailable'])
      const ready = await fetch(`${server.url}/readyz`)
      expect(ready.status).to.equal(503)
      const { code, detail } = (await ready.json()) as Record<string, string>
      expect(code).to.equal('not_ready')
      expect(detail).to.include('was deleted, moved or replaced').and.not.include(house.folder)

      const { code: exitCode, stderr } = await server.command.ended
      expect(exitCode).to.equal(1)
      expect(stderr).to.include('"the data directory is gone: no request is acknowledged and no step starts"')
      expect(stderr).to.include('"exiting: the data directory is gone"')
      expect(asked, 'the wait was over by then').to.deep.equal([])

      await giveBack()
      await house.start({ env })
      expect((await house.investigatedAlerts()).map((alert) => alert.alert_type)).to.deep.equal(['slow'])
      expect(asked).to.have.length(1)
    })
  }
})
