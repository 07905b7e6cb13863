import { expect } from 'chai'
import { eventually } from '../support/eventually.ts'
import { readBlocks } from '../support/guide-page.ts'
import { makeTestTocsin, type TestTocsin } from '../support/server/test-tocsin.ts'

const blocks = readBlocks('docs/how-to/tell-people-outside.md')
const recipe = (file: string): string =>
  blocks.find((block) => block.file === file)?.text ?? expect.fail(`the page has no ${file}`)

const failing = `apiVersion: tocsin/v1
name: failing
on: { manual: true }
steps: [{ fail: no }]
`

describe('docs/how-to/tell-people-outside.md on a server', function () {
  this.timeout(60_000)
  let tocsin: TestTocsin
  before(async () => {
    tocsin = await makeTestTocsin({
      inProcess: true,
      sandbox: 'microsoft_teams',
      playbooks: { failing, 'post-failed-runs': recipe('post-failed-runs.yaml') },
    })
    await tocsin.start()
    await tocsin.connect('teams')
  })
  after(() => tocsin.close())

  it('posts one message about a storm of failed runs with one cause', async () => {
    for (let n = 0; n < 5; n++)
      await tocsin.call('/playbooks/failing/runs', { body: { organization_code: 'main' } })
    const runs = await tocsin.endedRuns(10)
    const told = runs.filter(({ playbook }) => playbook === 'post-failed-runs')
    const count = (status: string) => told.filter((run) => run.status === status).length
    expect([count('completed'), count('cancelled'), told.length]).to.deep.equal([1, 4, 5])
    const posted = await eventually('the message', () => {
      const found = tocsin.sandbox.requests.filter(({ path }) => path.includes('/workflows/'))
      return found.length > 0 ? found : undefined
    })
    expect(posted).to.have.length(1)
    expect(JSON.stringify(posted[0]!.body)).to.include('failing: ')
  })
})
