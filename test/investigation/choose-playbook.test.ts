import { expect } from 'chai'
import { choosePlain, choosePlaybook, describeChoice } from '../../core/investigation/choose-playbook.ts'
import { parsePlaybook } from '../../core/playbook/read/parse.ts'
import type { Playbook } from '../../core/playbook/language/playbook.ts'

function playbook(name: string, trigger: string, head = ''): Playbook {
  const source = `apiVersion: tocsin/v1
name: ${name}
${head}on: { alert: ${trigger} }
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
  return choosePlaybook(playbooks, { type: 'phishing', provider, organization: 'acme' }, scope, () => {})
    .playbook?.name
}

describe('choosing the playbook of an alert', () => {
  it('takes the most specific matching trigger', () => {
    expect(choose(all, 'mailbox', { risk: 90 })).to.equal('by-all')
    expect(choose(all, 'splunk', { risk: 90 })).to.equal('by-condition')
    expect(choose(all, 'mailbox', { risk: 10 })).to.equal('by-provider')
    expect(choose(all, 'splunk', { risk: 10 })).to.equal('by-type')
  })

  it('compares providers ignoring case, and types exactly', () => {
    expect(choose([byProvider], 'MailBox', {})).to.equal('by-provider')
    const { playbook: none } = choosePlaybook(
      [byType],
      { type: 'Phishing', provider: 'mailbox', organization: 'acme' },
      {},
      () => {},
    )
    expect(none).to.equal(undefined)
  })

  it('takes the first by name among equals', () => {
    const later = playbook('a-by-type', '{ type: phishing }')
    expect(choose([byType, later], 'splunk', {})).to.equal('a-by-type')
  })

  it('takes a trigger that names the type, also in a list, before one for all types', () => {
    const several = playbook('several', '{ type: [malware, phishing] }')
    const anyType = playbook('any-type', '{ provider: mailbox, where: alert.data.risk > 50 }')
    expect(choose([anyType, several], 'mailbox', { risk: 90 })).to.equal('several')
    expect(choose([anyType, otherType], 'mailbox', { risk: 90 })).to.equal('any-type')
    expect(choose([anyType, otherType], 'splunk', { risk: 90 })).to.equal(undefined)
    expect(choose([several, byType], 'splunk', {})).to.equal('by-type')
    expect(choose([several, byCondition], 'splunk', { risk: 90 })).to.equal('by-condition')
  })

  it('accepts each of several providers', () => {
    const two = playbook('two', '{ type: phishing, provider: [mailbox, splunk] }')
    expect(choose([two, byType], 'Splunk', {})).to.equal('two')
    expect(choose([two, byType], 'sentinel', {})).to.equal('by-type')
  })

  it('evaluates no condition where a more specific trigger without one fits', () => {
    const anyType = playbook('any-type', '{ where: alert.data.risk > 50 }')
    const phishing = { type: 'phishing', provider: 'splunk', organization: 'acme' }
    expect(choosePlain([anyType, byType], phishing)).to.equal(byType)
    expect(choosePlain([anyType, otherType], phishing)).to.equal(undefined)
    expect(choosePlain([byProvider], phishing)).to.equal('none')
  })

  it('takes a playbook of the organization before a shared one, and none of another', () => {
    const own = playbook('own', '{ where: true }', 'organization: ACME\n')
    const other = playbook('other', '{ type: phishing }', 'organization: globex\n')
    expect(choose([...all, own, other], 'mailbox', { risk: 90 })).to.equal('own')
    expect(choose([other], 'mailbox', { risk: 90 })).to.equal(undefined)
    expect(
      choosePlain([byType, own, other], { type: 'phishing', provider: 'm', organization: 'globex' }),
    ).to.equal(other)
    expect(choosePlain([other], { type: 'phishing', provider: 'm', organization: 'acme' })).to.equal('none')
  })

  it('takes the most specific one of the organization', () => {
    const wide = playbook('a', '{ where: true }', 'organization: acme\n')
    const narrow = playbook('b', '{ type: phishing }', 'organization: acme\n')
    expect(choose([wide, narrow, byAll], 'mailbox', { risk: 90 })).to.equal('b')
  })

  it('finds nothing if no trigger matches', () => {
    expect(choose([otherType], 'mailbox', {})).to.equal(undefined)
  })

  it('skips a condition that fails on this alert and reports it', () => {
    const told: string[] = []
    const scope = { alert: { data: { risk: 'high' } }, organization: { code: 'acme', name: 'Acme' } }
    const chosen = choosePlaybook(
      [byCondition, byType],
      { type: 'phishing', provider: 'splunk', organization: 'acme' },
      scope,
      (one) => told.push(one.name),
    )
    expect(chosen.playbook?.name).to.equal('by-type')
    expect(told).to.deep.equal(['by-condition'])
  })

  describe('explained in the timeline', () => {
    function said(playbooks: readonly Playbook[], provider: string, data: unknown) {
      const scope = {
        alert: { type: 'phishing', provider, data },
        organization: { code: 'acme', name: 'Acme' },
      }
      return describeChoice(
        choosePlaybook(playbooks, { type: 'phishing', provider, organization: 'acme' }, scope, () => {}),
      )
    }

    it('names each playbook for the type and why it was not chosen', () => {
      expect(said(all, 'mailbox', { risk: 10 })).to.equal(
        'Chosen: by-provider. Not chosen: by-all (`where` is false for this alert); by-condition (`where` is false for this alert); ' +
          'by-type (by-provider is more specific, or comes first by name).',
      )
      expect(said([byAll, byCondition], 'splunk', {})).to.equal(
        'No playbook fits this alert. Not chosen: by-all (only for the provider mailbox); by-condition (`where` failed: alert.data.risk is missing).',
      )
    })

    it('names a shared playbook that one of the organization precedes', () => {
      const own = playbook('own', '{ type: phishing }', 'organization: acme\n')
      const failing = playbook('own-risk', '{ type: phishing, where: false }', 'organization: acme\n')
      expect(said([byType, own, failing], 'splunk', {})).to.equal(
        'Chosen: own. Not chosen: own-risk (`where` is false for this alert); by-type (own belongs to the organization, so it comes first).',
      )
    })

    it('has no entry if no condition mattered', () => {
      expect(said([byType, byProvider], 'splunk', {})).to.equal(undefined)
      expect(said([byCondition, byType], 'splunk', { risk: 90 })).to.equal(undefined)
    })

    it('shows no alert values, which may be sensitive, and stays short', () => {
      const bySecret = playbook('by-secret', '{ type: phishing, where: int(alert.data.pin) > 1 }')
      expect(said([bySecret], 'splunk', { pin: 'hunter2' }))
        .to.include('by-secret')
        .and.not.include('hunter2')
      const many = Array.from({ length: 30 }, (_, at) =>
        playbook(`p${at}`, '{ type: phishing, where: 1 > 2 }'),
      )
      expect(said(many, 'splunk', {})).to.match(/; 20 more\.$/)
    })
  })
})
