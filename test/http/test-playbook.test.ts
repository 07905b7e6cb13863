import { expect } from 'chai'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startApi, type Api } from './support/api.ts'

const source = `apiVersion: tocsin/v1
name: tried
on: { manual: true }
inputs: { user: { type: string } }
steps:
  - if: inputs.user == "eve"
    uses: tower.ring_bell
    with: { times: 3 }
  - return: done
`
const tests = `playbook: tried.yaml
mocks:
  tower.ring_bell: { output: {} }
tests:
  - name: rings for eve
    inputs: { user: eve }
    expect: { status: completed }
  - name: is wrong
    inputs: { user: eve }
    expect: { status: failed }
`

describe('tests of playbooks over HTTP', () => {
  let api: Api
  before(async () => {
    api = await startApi()
    await api.call('PUT', '/api/playbooks/tried', { body: { source } })
  })
  after(() => api.close())

  const run = async () => (await api.call('POST', '/api/playbooks/tried/test')).json
  const write = (text: string) => writeFile(join(api.dataDir, 'tried.test.yaml'), text)

  it('report that there are none', async () => {
    expect(await run()).to.deep.equal({ file: null, problems: [], tests: [], coverage: null })
  })

  it('run, and report uncovered steps', async () => {
    await write(tests)
    const { file, problems, tests: ran, coverage } = await run()
    expect({ file, problems }).to.deep.equal({ file: 'tried.test.yaml', problems: [] })
    expect(
      ran.map(({ name, line, status, failures }: any) => [name, line, status, failures.length]),
    ).to.deep.equal([
      ['rings for eve', 5, 'completed', 0],
      ['is wrong', 8, 'completed', 1],
    ])
    expect(coverage).to.deep.include({ taken: 2, total: 3 })
    expect(coverage.missing.map(({ line }: any) => line)).to.deep.equal([6])
    expect((await api.stores.runs.list('all', {}, { limit: 1 })).total).to.equal(0)
  })

  it('test the draft instead of the live version on request', async () => {
    const draft = (of: string) => api.call('POST', `/api/playbooks/${of}/test?draft=true`)
    expect((await draft('tried')).json.code).to.equal('draft_not_found')
    await write(tests)
    const edited = source.replace('return: done', 'fail: broken')
    const saved = await api.call('PUT', '/api/playbooks/tried/draft', { body: { source: edited } })
    expect(saved.status, saved.text).to.equal(200)
    const { json } = await draft('tried')
    expect(json.tests.map(({ name, status }: any) => [name, status])).to.deep.equal([
      ['rings for eve', 'failed'],
      ['is wrong', 'failed'],
    ])
    expect((await run()).tests[0].status).to.equal('completed')
    await api.call('PUT', '/api/playbooks/new-one/draft', { body: { source } })
    expect((await draft('new-one')).json.file).to.equal(null)
  })

  it('report problems in the file', async () => {
    await write('playbook: tried.yaml\ntests: 5\n')
    const { problems, tests: ran, coverage } = await run()
    expect(problems[0].line).to.equal(2)
    expect({ ran, coverage }).to.deep.equal({ ran: [], coverage: null })
  })
})
