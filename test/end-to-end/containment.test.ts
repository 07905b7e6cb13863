import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import type { ServedSandbox } from '../../core/plugin/testing/index.ts'
import { startTestTocsin, type TestTocsin } from '../support/server/test-tocsin.ts'

interface Controls {
  expireTokens(): void
  loseNextAnswer(): void
}

const machine = '3f0c9a1b7d2e48569c0fb1a2d3e4f5061728394a'

const contain = `apiVersion: tocsin/v1
name: contain
on: { alert: { type: contain } }
defaults: { retry: { max: 2, backoff: 10ms } }
steps:
  - id: alert
    uses: endpoint_security.get_alert
    with: { id: '\${{ alert.content }}' }
  - id: isolate
    uses: endpoint_security.isolate_machine
    with: { id: ${machine}, comment: '\${{ steps.alert.output.title }}' }
  - uses: case.update
    with: { severity: high, summary: 'Isolation \${{ steps.isolate.output.action.status }}, adopted: \${{ steps.isolate.output.adopted }}' }
`

describe('an alert that isolates a machine', function () {
  let tocsin: TestTocsin
  let sandbox: ServedSandbox<Controls>

  before(async () => {
    tocsin = await startTestTocsin({ inProcess: true, sandbox: 'endpoint_security' })
    sandbox = tocsin.sandbox as ServedSandbox<Controls>
    await writeFile(join(tocsin.playbooksDir, 'contain.yaml'), contain)
    await tocsin.restart()
    expect((await tocsin.connect('endpoint')).status).to.equal(201)
  })
  after(() => tocsin?.close())

  async function summaryOf(): Promise<string> {
    const content = 'da638723441200000001_-1402177365'
    const { body: alert } = await tocsin.investigate({ type: 'contain', content })
    expect(alert.investigation_status).to.equal(15)
    return (await tocsin.call(`/cases/${alert.case_id}`)).body.summary as string
  }
  const sent = (path: RegExp) =>
    sandbox.requests.filter((request) => path.test(`${request.method} ${request.path}`))

  it('has a passing connection test', async () => {
    const { status, body } = await tocsin.call('/connections/endpoint/authenticate', { method: 'POST' })
    expect({ status, warning: body.warning }).to.deep.equal({ status: 200, warning: null })
  })

  it('isolates it once, even if the response was lost', async () => {
    sandbox.controls.loseNextAnswer()
    expect(await summaryOf()).to.equal('Isolation Pending, adopted: false')
    expect(sent(/^POST .*\/isolate$/)).to.have.length(1)
  })

  it('records the action, target, run and outcome in the audit log', async () => {
    const { body } = await tocsin.call('/audit?limit=200')
    const [run] = (await tocsin.call('/runs')).body.data
    const ofRun = body.data.filter((entry: any) => entry.subject.id === run.run_uuid).toReversed()
    const call = { skill: 'endpoint_security.isolate_machine', path: 'isolate' }
    const input = JSON.stringify({ id: machine, comment: 'Suspicious credential dumping tool was executed' })
    expect(ofRun.map(({ action, actor, details }: any) => [action, actor.kind, details])).to.deep.equal([
      ['skill.called', 'run', { ...call, attempt: 1, input }],
      ['skill.called', 'run', { ...call, attempt: 2, input }],
      ['skill.ended', 'run', { ...call, attempt: 2, state: 'completed', error: null }],
    ])
  })

  it('reuses the pending isolation of another run', async () => {
    expect(await summaryOf()).to.equal('Isolation Pending, adopted: true')
    expect(sent(/^POST .*\/isolate$/)).to.have.length(1)
  })

  it('uses one token until it expires, then another', async () => {
    expect(sent(/oauth2/)).to.have.length(1)
    sandbox.controls.expireTokens()
    expect(await summaryOf()).to.equal('Isolation Pending, adopted: true')
    expect(sent(/oauth2/)).to.have.length(2)
  })
})
