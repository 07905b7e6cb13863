import { expect } from 'chai'
import { failures, problemsOf } from './support.ts'

const playbook = (correlate: string) =>
  `apiVersion: tocsin/v1\nname: p\non: { alert: { type: odd${correlate} } }\nsteps: [{ return: 1 }]\n`
const ruled = playbook(
  ', correlate: [{ by: { user: alert.data.?user, host: alert.data.?host } }, { by: { user: alert.data.?user } }]',
)
const expecting = (expected: string, data = '{ user: Ana, host: WS-7 }') =>
  `playbook: p.yaml\nfixtures: { alert: { data: ${data} } }\ntests:\n  - name: t\n    expect: { correlation: ${expected} }\n`

describe('expect.correlation', () => {
  it('is met by the values of the rules that apply, ignoring case', async () => {
    expect(await failures(ruled, expecting('[{ user: ana, host: ws-7 }, { user: ANA }]'))).to.deep.equal([])
    expect(await failures(ruled, expecting('[{ user: ana }]', '{ user: ana }'))).to.deep.equal([])
    expect(await failures(ruled, expecting('[]', '{ user: unknown }'))).to.deep.equal([])
  })

  it('says what was compared instead', async () => {
    const [wrong] = await failures(ruled, expecting('[{ user: bob }]', '{ user: ana }'))
    expect(wrong).to.match(/error correlation {2}expected \{"user":"bob"\}, got \{"user":"ana"\}/)
    const [none] = await failures(ruled, expecting('[{ user: ana }]', '{ user: "" }'))
    expect(none).to.match(/expected \{"user":"ana"\}, got no rule to apply/)
  })

  it('needs a playbook with rules', () => {
    expect(problemsOf(playbook(''), expecting('[]'))[0]).to.contain(
      '`correlation` needs `on.alert.correlate`, but the playbook has none',
    )
  })
})
