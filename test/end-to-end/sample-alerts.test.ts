import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { startTestTocsin, type TestTocsin } from '../support/server/test-tocsin.ts'

const folder = join(import.meta.dirname, '../data/alerts')

describe('sample alerts of many products', function () {
  this.timeout(60_000)
  let tocsin: TestTocsin

  before(async () => {
    tocsin = await startTestTocsin({ inProcess: true, sandbox: 'intel_provider' })
    expect((await tocsin.connect('intel')).status).to.equal(201)
  })
  after(() => tocsin?.close())

  it('are stored byte for byte and investigated concurrently, each with its own case', async () => {
    const files = (await readdir(folder)).filter((name) => name.endsWith('.json'))
    expect(files).to.have.length(91)
    const alerts = await Promise.all(
      files.map(async (file) => {
        const content = await readFile(join(folder, file), 'utf8')
        const type = file.replace('.json', '')
        return { file, content, reply: await tocsin.investigate({ type, content }) }
      }),
    )
    for (const { file, content, reply } of alerts) {
      expect(reply.body, file).to.include({ investigation_status: 15, alert_content: content })
      expect(reply.body.case_id, file).to.match(/^main-\d+$/)
    }
    expect(new Set(alerts.map(({ reply }) => reply.body.case_id)).size, 'cases').to.equal(91)
    const sequences = alerts.map(({ reply }) => Number(reply.body.alert_id.split('-').at(-1)))
    expect(sequences.toSorted((a, b) => a - b)).to.deep.equal(alerts.map((_, index) => index + 1))
  })

  it('have lookups whose findings are in the cases', async () => {
    expect(tocsin.sandbox.requests.length).to.be.greaterThan(100)
    const { body } = await tocsin.call('/cases?limit=200')
    const verdicts = new Set(body.data.map((one: { verdict: string }) => one.verdict))
    expect(verdicts).to.include('malicious').and.include('unknown')
  })
})
