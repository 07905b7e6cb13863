import { expect } from 'chai'
import { subjectsOf } from '../../core/alert-source/index.ts'
import { caseTitleOf } from '../../core/engine/turns/describe-run.ts'

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
