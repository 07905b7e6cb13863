import { expect } from 'chai'
import { startTestTocsin, type TestTocsin } from '../support/server/test-tocsin.ts'

const finding = (severity: number, count: number, id = 'f-1') =>
  JSON.stringify({
    accountId: '123456789012',
    region: 'eu-central-1',
    type: 'Backdoor:EC2/C&CActivity.B!DNS',
    id,
    severity,
    title: 'EC2 instance i-1 queries a command server',
    updatedAt: '2026-01-22T04:12:22Z',
    service: { count },
    resource: { instanceDetails: { instanceId: 'i-1' } },
  })

const playbooks = {
  plain: `apiVersion: tocsin/v1
name: plain
on: { alert: { type: finding } }
steps:
  - return: '\${{ [alert.title, alert.severity, alert.source_id, alert.occurred_at] }}'
`,
  marked: `apiVersion: tocsin/v1
name: marked
on: { alert: { type: marked } }
alert: { type: object, properties: { title: { type: string, x-sensitive: true } } }
steps:
  - return: 'done'
`,
}

describe('an alert of a known product', () => {
  let tocsin: TestTocsin
  before(async () => {
    tocsin = await startTestTocsin({ inProcess: true, playbooks, env: { TOCSIN_GROUP_MINUTES: '60' } })
  })
  after(() => tocsin.close())

  it('has its title, severity, time, id and observables, and names its case', async () => {
    const { body } = await tocsin.investigate({ type: 'finding', content: finding(8, 1) })
    expect(body).to.include({
      title: 'EC2 instance i-1 queries a command server',
      severity: 'high',
      occurred_at: Date.parse('2026-01-22T04:12:22Z'),
      source_id: 'f-1',
    })
    expect(body.observables).to.have.length(1)
    expect(body.observables[0]).to.include({ kind: 'host', value: 'i-1' })
    const found = await tocsin.call(`/cases/${body.case_id}`)
    expect(found.body.title).to.equal('EC2 instance i-1 queries a command server')
    const run = await tocsin.call(`/runs/${body.runs[0].run_uuid}`)
    expect(run.body.output).to.deep.equal([body.title, 'high', 'f-1', body.occurred_at])
    const listed = await tocsin.call('/alerts?limit=1')
    expect(listed.body.data[0]).to.include({ title: body.title, severity: 'high' })
  })

  it('is a repeat if its source sends it again, and not if it got graver or has another id', async () => {
    const first = await tocsin.investigate({ type: 'finding', content: finding(5, 1, 'f-2') })
    const again = await tocsin.investigate({ type: 'finding', content: finding(5, 2, 'f-2') })
    expect(again.body.grouped_with).to.equal(first.body.alert_id)
    expect(again.body.grouped_because).to.match(
      /^provider, type, severity and the id at the source \(f-2\) are the same/,
    )
    const graver = await tocsin.investigate({ type: 'finding', content: finding(8, 3, 'f-2') })
    expect(graver.body.grouped_with).to.equal(null)
    const other = await tocsin.investigate({ type: 'finding', content: finding(5, 1, 'f-3') })
    expect(other.body.grouped_with).to.equal(null)
  })

  it('does not name its case if its playbook marks parts of the alert as sensitive', async () => {
    const { body } = await tocsin.investigate({ type: 'marked', content: finding(8, 1) })
    const found = await tocsin.call(`/cases/${body.case_id}`)
    expect(found.body.title).to.equal(`Marked (${body.alert_id})`)
  })

  it('is answered at its creation with exactly the fields of the specification', async () => {
    const { body } = await tocsin.post('finding', finding(8, 1, 'f-9'))
    expect(body).not.to.have.any.keys('title', 'severity', 'observables')
  })
})
