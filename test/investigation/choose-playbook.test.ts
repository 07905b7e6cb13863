import { expect } from 'chai'
import { choosePlaybook } from '../../core/investigation/choose-playbook.ts'
import { parsePlaybook, type Playbook } from '../../core/playbook/index.ts'

function playbook(name: string, trigger: string): Playbook {
  const source = `apiVersion: tocsin/v1
name: ${name}
on: { alert: ${trigger} }
steps:
  - return: {}
`
  const { playbook, problems } = parsePlaybook(source, {})
  if (playbook === undefined) throw new Error(JSON.stringify(problems))
  return playbook
}

const byType = playbook('by-type', '{ type: phishing }')
const byProvider = playbook('by-provider', '{ type: phishing, provider: mailbox }')
const byCondition = playbook('by-condition', '{ type: phishing, where: alert.data.risk > 50 }')
const byAll = playbook('by-all', '{ type: phishing, provider: mailbox, where: alert.data.risk > 50 }')
const otherType = playbook('other-type', '{ type: malware }')
const all = [otherType, byType, byProvider, byCondition, byAll]

function choose(playbooks: readonly Playbook[], provider: string, data: unknown): string | undefined {
  const scope = { alert: { type: 'phishing', provider, data }, organization: { code: 'acme', name: 'Acme' } }
  return choosePlaybook(playbooks, { type: 'phishing', provider }, scope, () => {})?.name
}

describe('choosing the playbook of an alert', () => {
  it('takes the most specific trigger that fits', () => {
    expect(choose(all, 'mailbox', { risk: 90 })).to.equal('by-all')
    expect(choose(all, 'splunk', { risk: 90 })).to.equal('by-condition')
    expect(choose(all, 'mailbox', { risk: 10 })).to.equal('by-provider')
    expect(choose(all, 'splunk', { risk: 10 })).to.equal('by-type')
  })

  it('compares providers ignoring case, and types exactly', () => {
    expect(choose([byProvider], 'MailBox', {})).to.equal('by-provider')
    expect(choosePlaybook([byType], { type: 'Phishing', provider: 'mailbox' }, {}, () => {})).to.equal(
      undefined,
    )
  })

  it('takes the first by name among equals', () => {
    const later = playbook('a-by-type', '{ type: phishing }')
    expect(choose([byType, later], 'splunk', {})).to.equal('a-by-type')
  })

  it('finds nothing where no trigger fits', () => {
    expect(choose([otherType], 'mailbox', {})).to.equal(undefined)
  })

  it('passes over a condition that cannot be evaluated on this alert, and says so', () => {
    const told: string[] = []
    const scope = { alert: { data: { risk: 'high' } }, organization: { code: 'acme', name: 'Acme' } }
    const chosen = choosePlaybook(
      [byCondition, byType],
      { type: 'phishing', provider: 'splunk' },
      scope,
      (one) => told.push(one.name),
    )
    expect(chosen?.name).to.equal('by-type')
    expect(told).to.deep.equal(['by-condition'])
  })
})
