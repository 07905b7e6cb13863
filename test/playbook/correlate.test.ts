import { expect } from 'chai'
import { parsePlaybook } from '../../core/playbook/read/parse.ts'
import { catalogue } from './support.ts'

function read(correlate: string, schema = '') {
  const source = `apiVersion: tocsin/v1\nname: test\non:\n  alert:\n    type: t\n    correlate: ${correlate}\n${schema}steps: [{ return: 1 }]\n`
  const { playbook, problems } = parsePlaybook(source, { catalogue })
  return {
    rules: playbook?.alertTrigger?.correlate?.map(({ by, ...rest }) => ({
      ...rest,
      by: by.map(([name, { source: text }]) => `${name}: ${text}`),
    })),
    said: problems.map(
      ({ code, message, hint }) => `${code} ${message}${hint === undefined ? '' : ` (${hint})`}`,
    ),
  }
}

const everything = 'so unrelated alerts would share a case (write by: { user: alert.data.user })'

describe('on.alert.correlate', () => {
  it('is a rule with names and expressions, sorted by name', () => {
    const { rules, said } = read(
      '{ by: { user: alert.data.user, host: alert.data.host }, within: 2h, max: 20 }',
    )
    expect(said).to.deep.equal([])
    expect(rules).to.deep.equal([
      { by: ['host: alert.data.host', 'user: alert.data.user'], withinMs: 7_200_000, max: 20 },
    ])
  })

  it('is a list of rules, by default within a day and with 100 alerts', () => {
    expect(
      read('[{ by: { user: alert.data.?user } }, { by: { host: alert.data.host } }]').rules,
    ).to.deep.equal([
      { by: ['user: alert.data.?user'], withinMs: 86_400_000, max: 100 },
      { by: ['host: alert.data.host'], withinMs: 86_400_000, max: 100 },
    ])
  })

  it('accepts a value that all alerts have beside one that they do not', () => {
    expect(read('{ by: { kind: alert.type, user: alert.data.user } }').said).to.deep.equal([])
  })

  for (const [correlate, said] of Object.entries({
    '{ by: { user: "1" } }': `E331 this expression does not read the alert, ${everything}`,
    '{ by: { user: organization.code } }': `E331 this expression does not read the alert, ${everything}`,
    '{ by: { kind: alert.type } }': `E331 kind has a value even for an empty alert, ${everything}`,
    '{ by: { kind: alert.type, grade: alert.severity } }': `E331 kind and grade have values even for an empty alert, ${everything}`,
    '{ by: { user: alert.data.?user.orValue("nobody in particular") } }': `E331 user has a value even for an empty alert, ${everything}`,
    '{ by: { risky: alert.data.risk > 50 } }': `E331 this expression is true or false, ${everything}`,
    '{ by: {} }': 'E106 `by` is empty (write by: { user: alert.data.user })',
    '[]': 'E106 `correlate` is empty (write by: { user: alert.data.user })',
    '{ by: [alert.data.user] }':
      'E106 expected a map of expressions for `by`, found a list (write by: { user: alert.data.user })',
    '{ by: { User: alert.data.user } }': "E107 invalid name 'User' in `by`",
    '{ by: { user: inputs.user } }': 'E204',
    '{ by: { user: "${{ alert.data.user }}" } }':
      'E201 `user` takes an expression without ${{ }} (write user: alert.data.user)',
    '{ within: 5m }': 'E105 `correlate` needs `by`',
    '{ by: { user: alert.data.user }, within: 5 }': 'E106 expected a duration for `within`, found a number',
    '{ by: { user: alert.data.user }, within: 90d }': 'E107 `within` must be between 1s and 30d',
    '{ by: { user: alert.data.user }, max: 1 }': 'E107 `max` must be between 2 and 1000',
    '{ by: { user: alert.data.user }, window: 5m }':
      "E104 unknown key 'window' in `correlate` (write within)",
    'alert.data.user': 'E106 expected a map for `correlate`, found a string',
  })) {
    it(`explains the problem with ${correlate}`, () => {
      const found = read(correlate).said
      expect(found, found.join('\n')).to.have.length(1)
      expect(found[0]).to.satisfy((text: string) => text.startsWith(said), found[0])
    })
  }

  it('is checked against the schema of the alert', () => {
    const schema = 'alert: { type: object, required: [user], properties: { user: { type: string } } }\n'
    expect(read('{ by: { user: alert.data.user } }', schema).said).to.deep.equal([])
    expect(read('{ by: { user: alert.data.usr } }', schema).said[0]).to.match(
      /^E205 .*\(did you mean user\?\)/,
    )
  })

  it('limits the number of rules and names', () => {
    const rule = '{ by: { user: alert.data.user } }'
    expect(read(`[${Array(6).fill(rule).join(', ')}]`).said).to.deep.equal([
      'E107 `correlate` has 6 rules; at most 5 are allowed',
    ])
    const names = Array.from({ length: 6 }, (_, at) => `n${at}: alert.data.n${at}`)
    expect(read(`{ by: { ${names.join(', ')} } }`).said).to.deep.equal([
      'E107 `by` has 6 names; at most 5 are allowed',
    ])
  })
})
