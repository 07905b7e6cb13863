import { expect } from 'chai'
import { parsePlaybook } from '../../core/playbook/read/parse.ts'
import { catalogue } from './support.ts'

function read(group: string, key = 'group') {
  const source = `apiVersion: tocsin/v1\nname: test\non:\n  alert:\n    type: t\n    ${key}: ${group}\nsteps: [{ return: 1 }]\n`
  const { playbook, problems } = parsePlaybook(source, { catalogue })
  return {
    group: playbook?.alertTrigger?.group,
    said: problems.map(
      ({ code, message, hint }) => `${code} ${message}${hint === undefined ? '' : ` (${hint})`}`,
    ),
  }
}

describe('on.alert.group', () => {
  it('is a list of expressions over the alert, with or without a time window', () => {
    const { group, said } = read('{ by: [alert.data.user, alert.data.ip.lowerAscii()], within: 1h30m }')
    expect(said).to.deep.equal([])
    if (group === undefined || group === 'never') return expect.fail('nothing was read')
    expect(group.by.map(({ source }) => source)).to.deep.equal([
      'alert.data.user',
      'alert.data.ip.lowerAscii()',
    ])
    expect(group.withinMs).to.equal(5_400_000)
    expect(read('{ by: [alert.content] }').group).to.deep.include({ withinMs: undefined })
  })

  it('is false to disable grouping', () => {
    expect(read('false')).to.deep.equal({ group: 'never', said: [] })
  })

  for (const [group, said] of Object.entries({
    '{ by: [1] }':
      'E321 this expression does not read the alert, so all alerts would be grouped (write [alert.data.user, alert.data.source])',
    '{ by: [alert.data.user, organization.code] }':
      'E321 this expression does not read the alert, so all alerts would be grouped (write [alert.data.user, alert.data.source])',
    '{ by: [] }': 'E106 `by` is empty (write [alert.data.user, alert.data.source])',
    '{ by: alert.data.user }':
      'E106 expected a list of expressions for `by`, found a string (write [alert.data.user, alert.data.source])',
    "{ by: ['${{ alert.data.user }}'] }":
      'E201 `by` takes an expression without ${{ }} (write by: alert.data.user)',
    '{ by: [inputs.user] }': 'E204',
    '{ by: [alert.data.user], within: 5 }':
      'E106 expected a duration for `within`, found a number (did you mean 5s?)',
    '{ within: 5m }': 'E105 `group` needs `by`',
    true: 'E106 expected a map for `group`, found the boolean true (possible keys: by, within)',
    '{ fields: [alert.data.user] }': "E104 unknown key 'fields' in `group` (write by)",
  })) {
    it(`explains the problem with ${group}`, () => {
      const found = read(group).said
      expect(found).to.have.length(1)
      expect(found[0]).to.satisfy((text: string) => text.startsWith(said), found[0])
    })
  }

  it('suggests the key for synonyms', () => {
    expect(read('[alert.data.user]', 'group_by').said).to.deep.equal([
      "E104 unknown key 'group_by' in an alert trigger (group repeats with group: { by: [alert.data.user], within: 30m })",
    ])
  })
})
