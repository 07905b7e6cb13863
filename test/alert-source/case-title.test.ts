import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { identifyAlert, subjectsOf } from '../../core/alert-source/index.ts'
import { caseTitleOf } from '../../core/engine/turns/describe-run.ts'

const samples = join(import.meta.dirname, '../../cli/demo/alerts')

const titleOf = (
  content: unknown,
  given: { readonly type?: string | null; readonly title?: string | null } = {},
) =>
  caseTitleOf(
    {
      id: 'demo-identity-3',
      type: 'impossible_travel',
      title: null,
      content: typeof content === 'string' ? content : JSON.stringify(content),
      ...given,
    },
    { masks: {} } as Parameters<typeof caseTitleOf>[1],
  )

describe('the title of a case', () => {
  it('has the words of the type, and what the alert is about', () => {
    expect(titleOf({ user: 'kim@example.com', ip: '203.0.113.7' })).to.equal(
      'Impossible travel: kim@example.com, 203.0.113.7',
    )
    expect(titleOf({ host: { name: 'WS-7' } }, { type: 'malware-found' })).to.equal('Malware found: WS-7')
  })

  it('has the title of the alert, without repeating what is in it', () => {
    const content = { title: 'Sign-in of KIM from abroad', user: 'kim', src_ip: '203.0.113.7' }
    expect(titleOf(content, { title: content.title })).to.equal('Sign-in of KIM from abroad: 203.0.113.7')
    expect(titleOf({ user: 'kim' }, { title: 'Kim signed in' })).to.equal('Kim signed in')
    expect(titleOf({ user: 'kim', ip: '203.0.113.7' }, { title: 'Odd travel: kim' })).to.equal(
      'Odd travel: kim, 203.0.113.7',
    )
    expect(titleOf({ user: 'kim' }, { title: 'Passwords found in logs.' })).to.equal(
      'Passwords found in logs: kim',
    )
    expect(titleOf({ user: 'kim' }, { title: '...' })).to.equal('...: kim')
  })

  it('has the file if the alert names no user, machine or address', () => {
    expect(titleOf({ file: { name: 'invoice.exe', sha256: 'ab12' } }, { type: 'malware' })).to.equal(
      'Malware: invoice.exe',
    )
    expect(titleOf({ sha256: 'ab12' }, { type: 'malware' })).to.equal('Malware: ab12')
    expect(titleOf({ host: 'WS-7', sha256: 'ab12' }, { type: 'malware' })).to.equal('Malware: WS-7')
    expect(titleOf({ user: 'x'.repeat(81), md5: 'ab12' }, { type: 'malware' })).to.equal('Malware: ab12')
    expect(titleOf({ file: 'x'.repeat(81) }, { type: 'malware' })).to.equal('Malware (demo-identity-3)')
  })

  it('names the machine in the sample alerts of the endpoint platform', async () => {
    for (const [file, title] of [
      ['own-endpoint-malware', 'Suspicious credential dumping tool was executed on desk-042.example.com'],
      [
        'own-endpoint-malware-asked',
        'A miner of crypto currency was started by a build on build-3.example.com',
      ],
    ] as const) {
      const content = await readFile(join(samples, `${file}.json`), 'utf8')
      const { facts } = identifyAlert({ content })
      expect(titleOf(content, { title: facts.title })).to.equal(title)
    }
  })

  it('has the id of the alert if nothing else tells it from others', () => {
    for (const content of ['no JSON', '', '{', { risk: 7 }, [], 'null'])
      expect(titleOf(content)).to.equal('Impossible travel (demo-identity-3)')
    expect(titleOf('x', { type: null })).to.equal('Alert (demo-identity-3)')
  })

  it('keeps a type of another form as it is', () => {
    for (const type of ['T1078', 'Sign in', 'a__b', 'ÄLARM', '../x'])
      expect(titleOf('x', { type })).to.equal(`${type} (demo-identity-3)`)
  })

  it('is one line of text whatever attackers write', () => {
    const user = `kim\n\u202E<script>alert(1)</script>\u0000${'x'.repeat(20)}`
    const title = titleOf({ user, ip: ['203.0.113.7'], __proto__: { a: 1 } })
    expect(title).to.match(/^Impossible travel: [^\p{Cc}\p{Cf}]+$/u)
    expect(titleOf({ user: 'x'.repeat(5_000), host: { a: 1 }, ip: 7 }).length).to.be.below(300)
    expect(titleOf('['.repeat(9_000))).to.equal('Impossible travel (demo-identity-3)')
  })

  it('has nothing of an alert in which the playbook marks sensitive values', () => {
    const masked = { masks: { alert: {} } } as unknown as Parameters<typeof caseTitleOf>[1]
    const alert = { id: 'a-x-1', type: 'odd_login', title: 'Kim', content: '{"user":"kim"}' }
    expect(caseTitleOf(alert, masked)).to.equal('Odd login (a-x-1)')
  })

  it('names the observables of a known product, a person or machine first', () => {
    const content = JSON.stringify({ source: 'aws.guardduty' })
    expect(subjectsOf({ content })).to.deep.equal([])
    expect(
      subjectsOf({ content: '{"email":"kim@example.com","user":"kim","domain":"a.example"}' }),
    ).to.deep.equal(['kim', 'a.example'])
  })
})
