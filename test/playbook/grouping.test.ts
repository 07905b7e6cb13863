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
  it('is a list of expressions over the alert, with a time or without', () => {
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

  it('is false where nothing is a repeat', () => {
    expect(read('false')).to.deep.equal({ group: 'never', said: [] })
  })

  for (const [group, said] of Object.entries({
    '{ by: [1] }':
      'E321 this is the same for all alerts, and would group them all (write [alert.data.user, alert.data.source])',
    '{ by: [alert.data.user, organization.code] }':
      'E321 this is the same for all alerts, and would group them all (write [alert.data.user, alert.data.source])',
    '{ by: [] }': 'E106 `by` is empty (write [alert.data.user, alert.data.source])',
    '{ by: alert.data.user }':
      'E106 `by` must be a list of expressions, not a text (write [alert.data.user, alert.data.source])',
    "{ by: ['${{ alert.data.user }}'] }":
      'E201 `by` takes an expression without ${{ }} (write by: alert.data.user)',
    '{ by: [inputs.user] }': 'E204',
    '{ by: [alert.data.user], within: 5 }':
      'E106 `within` must be a duration, not a number (did you mean 5s?)',
    '{ within: 5m }': 'E105 `group` needs `by`',
    true: 'E106 `group` must be a map, not the boolean true (possible keys: by, within)',
    '{ fields: [alert.data.user] }': "E104 'fields' is not a key of `group` (write by)",
  })) {
    it(`says what is wrong with ${group}`, () => {
      const found = read(group).said
      expect(found).to.have.length(1)
      expect(found[0]).to.satisfy((text: string) => text.startsWith(said), found[0])
    })
  }

  it('is what is meant by other words for it', () => {
    expect(read('[alert.data.user]', 'group_by').said).to.deep.equal([
      "E104 'group_by' is not a key of an alert trigger (repeats of an alert are grouped by group: { by: [alert.data.user], within: 30m })",
    ])
  })
})
