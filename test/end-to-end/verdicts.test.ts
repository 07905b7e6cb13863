import { expect } from 'chai'
import { eventually } from '../support/eventually.ts'
import { startTestTocsin, type TestTocsin } from '../support/server/test-tocsin.ts'

/** A value that the sandbox of the intel provider knows. */
const bad = '203.0.113.77'

describe('case texts of a generated playbook', function () {
  let tocsin: TestTocsin

  before(async () => {
    tocsin = await startTestTocsin({ inProcess: true, sandbox: 'intel_provider' })
  })
  after(() => tocsin?.close())

  async function caseOf(content: string) {
    const { body: alert } = await tocsin.investigate({ type: 'anything', content })
    expect(alert.investigation_status).to.equal(15)
    const { body } = await tocsin.call(`/cases/${alert.case_id}`)
    const notes = (body.timeline as { kind: string; text: string }[])
      .filter((entry) => entry.kind === 'note')
      .map((entry) => entry.text)
    return { summary: body.summary as string, severity: body.severity, verdict: body.verdict, notes }
  }

  it('list observables that cannot be looked up without a connection, and leave the severity', async () => {
    const found = await caseOf(`login from ${bad}`)
    expect(found).to.include({ severity: 'medium', verdict: 'unknown' })
    expect(found.summary).to.equal(
      'Not assessed: this organization has no connection that can look up observables. Found 1: ip 203.0.113.77',
    )
  })

  it('report failed lookups with the reason if the provider refuses', async () => {
    await tocsin.call('/connections', {
      method: 'POST',
      body: {
        organization_code: 'main',
        name: 'intel',
        plugin: 'intel_provider',
        settings: { ...tocsin.sandbox.settings, api_key: '0'.repeat(32) },
      },
    })
    const found = await caseOf(`login from ${bad}`)
    expect(found).to.include({
      severity: 'medium',
      verdict: 'unknown',
      summary: 'Not assessed: 1 of 1 lookups failed (over intel).',
    })
    expect(found.notes.join()).to.match(/^1 of 1 lookups failed \(over intel\)\. First reason: .*401/)
    const refused = await eventually('the failure at the connection', async () => {
      const { body } = await tocsin.call('/connections/intel')
      return body.last_failure === null ? undefined : body
    })
    expect(refused.last_failure.code).to.equal('http_401')
    expect(refused.warnings[0].reason).to.match(/refused .*http_401/)
    await tocsin.call('/connections/intel', {
      method: 'PATCH',
      body: { settings: { api_key: tocsin.sandbox.settings.api_key } },
    })
  })

  it('come with a higher severity for known bad observables', async () => {
    const found = await caseOf(`login from ${bad}`)
    expect(found).to.include({
      severity: 'high',
      verdict: 'malicious',
      summary: 'Known malicious: 203.0.113.77 (risk 92)',
    })
  })

  it('never call an unknown observable harmless', async () => {
    expect(await caseOf('login from 198.51.100.9')).to.deep.equal({
      severity: 'medium',
      verdict: 'unknown',
      summary: 'No bad reputation found in 1 lookups. That does not prove the observables harmless.',
      notes: [],
    })
    expect(await caseOf('nothing to see')).to.include({
      severity: 'medium',
      summary: 'Not assessed: the alert contains no observables.',
    })
  })

  it('report that an alert has more observables than are looked up', async () => {
    const flood = Array.from({ length: 60 }, (_, n) => `198.51.100.${n + 1}`).join(' ')
    const found = await caseOf(`${flood} ${bad}`)
    expect(found.severity).to.equal('medium')
    expect(found.notes).to.deep.equal([
      'The alert contains more observables than the 50 of each kind that are looked up.',
    ])
  })
})
