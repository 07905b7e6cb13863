import { expect } from 'chai'
import { parsePlaybook } from '../../core/playbook/read/parse.ts'
import { catalogue } from './support.ts'

const schema = `alert:
  type: object
  required: [user, risk, at]
  properties:
    user: { type: object, required: [email], properties: { email: { type: string } } }
    risk: { type: integer }
    at: { type: string, format: date-time }
    country: { type: string }
    level: { enum: [low, high] }
`

function read(head: string, alert = schema) {
  const source = `apiVersion: tocsin/v1\nname: test\n${head}\n${alert}steps: [{ return: 1 }]\n`
  return parsePlaybook(source, { catalogue }).problems.map(
    ({ code, message, hint }) => `${code} ${message}${hint === undefined ? '' : ` (${hint})`}`,
  )
}

const where = (condition: string) => `on: { alert: { type: t, where: '${condition}' } }`
const by = (part: string) => `on: { alert: { type: t, group: { by: ['${part}'] } } }`
const key = (part: string) => `on: { alert: { type: t } }\nconcurrency: { key: '\${{ ${part} }}' }`

const misspelt: Readonly<Record<string, string>> = {
  'alert.data.user.emial': "E205 alert.data.user has no field 'emial' (did you mean email?)",
  'alert.data["risc"]': 'E205 alert.data has no field \'risc\' (did you mean "risk"?)',
  'alert.data.?risc.orValue("")': "E205 alert.data has no field 'risc' (did you mean risk?)",
  'alert.providr': "E205 alert has no field 'providr' (did you mean provider?)",
}

describe('expressions over the alert before a run', () => {
  for (const [field, said] of Object.entries(misspelt)) {
    it(`know the alert schema: ${field}`, () => {
      expect(read(where(`${field} == alert.id`)), 'where').to.deep.equal([said])
      expect(read(by(field)), 'group.by').to.deep.equal([said])
      expect(read(key(field)), 'concurrency.key').to.deep.equal([said])
    })
  }

  for (const [condition, said] of Object.entries({
    'alert.data.risk > "high"': 'E203',
    'alert.data.?level.orValue("low") == "hihg"': 'E202',
    'alert.data.country == "NO"': 'E206 alert.data.country may be missing',
    'has(alert.data.contry)': "E205 alert.data has no field 'contry' (did you mean country?)",
    'alert.data.risk': 'E210 expected true or false for `where`, found an integer',
  })) {
    it(`types conditions: ${condition}`, () => {
      const found = read(where(condition))
      expect(found).to.have.length(1)
      expect(found[0]).to.satisfy((text: string) => text.startsWith(said), found[0])
    })
  }

  it('accept values that match the schema', () => {
    for (const condition of [
      'alert.data.risk >= 50 && alert.data.user.email.endsWith("@example.com")',
      'has(alert.data.country) && alert.data.country == "NO"',
      'timestamp(alert.data.at) > timestamp("2026-01-01T00:00:00Z")',
      'alert.data.?level.orValue("low") == "high" || organization.code == "acme"',
    ])
      expect(read(where(condition)), condition).to.deep.equal([])
    expect(read(by('alert.data.user.email.lowerAscii()'))).to.deep.equal([])
  })

  it('are not typed without a schema, nor in open parts', () => {
    expect(read(where('alert.data.anything == 1'), '')).to.deep.equal([])
    expect(read(where('alert.data.anything == 1'), 'alert: { type: object }\n')).to.deep.equal([])
  })
})
