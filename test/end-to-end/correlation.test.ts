import { expect } from 'chai'
import { startTestTocsin, type TestTocsin } from '../support/server/test-tocsin.ts'

const playbook = (name: string, type: string, by: string, steps: string) =>
  `apiVersion: tocsin/v1\nname: ${name}\non: { alert: { type: ${type}, correlate: { by: { ${by} } } } }\nsteps:\n${steps}\n`
const says = (severity: string, verdict: string, rest = '') =>
  `  - uses: case.update\n    with: { severity: ${severity}, verdict: ${verdict}, summary: '\${{ alert.type }}'${rest} }`
const playbooks = {
  'sign-in': playbook(
    'sign-in',
    'sign_in',
    'user: alert.data.?upn',
    says('low', 'benign', ', status: closed'),
  ),
  malware: playbook('malware', 'malware', 'user: alert.data.?owner.?email', says('high', 'malicious')),
  asks: playbook(
    'asks',
    'asks',
    'user: alert.data.user',
    `  - { id: q, checkpoint: { via: operator, with: { message: x }, answers: [yes], timeout: 1h } }\n${says('critical', 'suspicious')}`,
  ),
}

describe('correlation of alerts over HTTP', function () {
  let tocsin: TestTocsin

  before(async () => {
    tocsin = await startTestTocsin({ inProcess: true, playbooks })
  })
  after(() => tocsin?.close())

  const investigate = async (type: string, content: unknown) =>
    (await tocsin.investigate({ type, content: JSON.stringify(content) })).body
  const get = async (path: string) => (await tocsin.call(path)).body
  const post = (type: string, content: unknown) =>
    tocsin.call('/alerts', {
      body: {
        alert_provider: 'custom',
        organization_code: 'main',
        alert_type: type,
        alert_content: JSON.stringify(content),
      },
    })

  it('joins alerts of two playbooks about one user, each investigated, and shows the gravest result', async () => {
    const malware = await investigate('malware', { owner: { email: 'Ana@example.com' } })
    const signIn = await investigate('sign_in', { upn: 'ana@example.com' })
    const because = 'user (ana@example.com) is the same as in an alert at most 1d earlier (rule of sign-in)'
    expect(signIn).to.include({
      case_id: malware.case_id,
      joined_because: because,
      investigation_status: 15,
      investigator: 'sign-in',
      grouped_with: null,
    })
    expect(malware.joined_because).to.equal(null)
    expect(signIn.runs).to.have.length(1)
    const found = await get(`/cases/${malware.case_id}`)
    expect(found).to.include({ severity: 'high', verdict: 'malicious', status: 'open' })
    expect(found.summary).to.equal(`${malware.alert_id}: malware\n\n${signIn.alert_id}: sign_in`)
    const texts = found.timeline.map(({ text }: { text: string }) => text)
    expect(texts).to.include(`Alert ${signIn.alert_id} joined this case because ${because}.`)
    expect(texts.join('\n')).to.contain(`the case stays open: ${malware.alert_id} is malicious`)
  })

  it('gives many alerts at once one case, and counts them', async () => {
    const sent = await Promise.all(
      Array.from({ length: 40 }, (_, at) =>
        investigate('malware', { owner: { email: 'bob@example.com' }, at }),
      ),
    )
    expect(new Set(sent.map(({ case_id: id }) => id)).size).to.equal(1)
    expect(sent.filter(({ joined_because: because }) => because === null)).to.have.length(1)
    const metrics = await (await tocsin.fetch('/metrics')).text()
    expect(Number(/^tocsin_alerts_correlated_total (\d+)$/m.exec(metrics)?.[1])).to.be.at.least(39)
  })

  it('leaves alerts without the value alone', async () => {
    const [first, second] = [await investigate('sign_in', { a: 1 }), await investigate('sign_in', { a: 2 })]
    expect(first.case_id).not.to.equal(second.case_id)
  })

  it('survives a restart between the join and the end of the runs, and a merge meanwhile', async () => {
    const [{ body: first }, { body: second }] = [
      await post('asks', { user: 'eve@example.com', at: 1 }),
      await post('asks', { user: 'eve@example.com', at: 2 }),
    ]
    const questions = async () =>
      (await get('/checkpoints')).data as { readonly checkpoint_id: string; readonly case_id: string }[]
    for (let n = 0; n < 500 && (await questions()).length < 2; n++);
    const { case_id: id } = await get(`/alerts/${first.alert_id}`)
    expect((await get(`/alerts/${second.alert_id}`)).case_id).to.equal(id)
    const other = await investigate('sign_in', { upn: 'other@example.com' })
    const into = await get(`/cases/${(await investigate('malware', { owner: {} })).case_id}`)
    const { revision } = await get(`/cases/${id}`)
    await tocsin.restart()
    const merged = await tocsin.call(`/cases/${into.case_id}/merge`, {
      body: { cases: [{ case_id: id, revision }] },
      headers: { 'if-match': '*' },
    })
    expect(merged.body).to.include({ case_id: into.case_id, severity: 'high' })
    for (const { checkpoint_id: question } of await questions())
      await tocsin.call(`/checkpoints/${question}/answer`, { body: { answer: 'yes' } })
    const severity = async () => (await get(`/cases/${into.case_id}`)).severity
    for (let n = 0; n < 500 && (await severity()) !== 'critical'; n++);
    expect(await get(`/cases/${into.case_id}`)).to.include({ severity: 'critical', verdict: 'malicious' })
    expect(await get(`/cases/${id}`)).to.include({ merged_into: into.case_id, severity: 'medium' })
    expect(other.case_id).not.to.equal(id)
  })
})
