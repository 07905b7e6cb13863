import { expect } from 'chai'
import { conditionWords, stepName } from '../../core/engine/journal/step-name.ts'

describe('name of a step', () => {
  const names: readonly (readonly [path: string, kind: string, name: string])[] = [
    ['enrich', 'virustotal.lookup_ip', 'enrich'],
    ['gather/enrich', 'virustotal.lookup_ip', 'enrich'],
    ['enrich[2]', 'virustotal.lookup_ip', 'enrich, item 3'],
    ['poll#2', 'steps', 'poll, round 2'],
    ['poll[0]#2', 'steps', 'poll, item 1, round 2'],
    ['0', 'virustotal.lookup_ip', 'lookup ip (virustotal.lookup_ip)'],
    ['4/3/0', 'case.update', 'update (case.update)'],
    ['@finally/0', 'messaging.send_message', 'send message (messaging.send_message)'],
    ['2', 'return', '3rd step: return'],
    ['0', 'steps', '1st step: group of steps'],
    ['1', 'switch', '2nd step: switch'],
    ['10', 'set', '11th step: set values'],
    ['11', 'wait', '12th step: wait'],
    ['21', 'wait', '22nd step: wait'],
    ['decision/@ask', 'messaging.checkpoint', 'question of decision'],
    ['3/@settle', 'messaging.checkpoint', 'end of the question of 4th step'],
    ['asked/@person[1]', 'messaging.checkpoint', 'question to person 2 of asked'],
    ['isolate/@approval', 'operator', 'approval of isolate'],
    ['lookups[0]/@call[1]', 'okta.find_users', 'find users 2 of lookups, item 1'],
    ['lookups/@choice', 'choice', 'connections of lookups'],
    ['@outputs/@state', 'state', 'state of outputs of the playbook'],
    ['@playbooks/isolate', 'call', 'version of isolate'],
  ]
  for (const [path, kind, name] of names)
    it(`is readable: ${path} of kind ${kind}`, () => expect(stepName({ path, kind })).to.equal(name))

  it('of an unknown path is its last part', () => {
    expect(stepName({ path: '', kind: '' })).to.equal('')
    expect(stepName({ path: '@unknown/<b>', kind: 'set' })).to.equal('<b>')
  })
})

describe('words of a condition', () => {
  const conditions: readonly (readonly [source: string, words: string])[] = [
    ['alert.data.severity == "high"', 'severity is high'],
    ['steps.told.output.risk >= 50 && !steps.rated.output.bad', 'told.risk >= 50 and not rated.bad'],
    ['inputs.mode != "a == b" || true', 'mode is not "a == b" or true'],
    ['steps.said.output.user != ""', 'said.user is not ""'],
  ]
  for (const [source, words] of conditions)
    it(`are: ${words}`, () => expect(conditionWords(source)).to.equal(words))

  it('have at most 60 characters', () => {
    const words = conditionWords('a && '.repeat(40))
    expect([Array.from(words).length, words.endsWith('…')]).to.deep.equal([60, true])
  })
})
