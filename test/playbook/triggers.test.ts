import { expect } from 'chai'
import { findRivals, type CheckedFile } from '../../core/playbook/check/find-rivals.ts'
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

describe('an alert trigger', () => {
  const on = (alert: string) => read(`on: { alert: ${alert} }`, '')
  const parsed = (alert: string) =>
    parsePlaybook(`apiVersion: tocsin/v1\nname: test\non: { alert: ${alert} }\nsteps: [{ return: 1 }]\n`)
      .playbook?.alertTrigger

  it('names one or several types and providers, or none', () => {
    expect(parsed('{ type: a }'))
      .to.include({ providers: undefined })
      .and.deep.include({ types: ['a'] })
    expect(parsed('{ type: [a, b], provider: [siem, edr] }')).to.deep.include({
      types: ['a', 'b'],
      providers: ['siem', 'edr'],
    })
    expect(parsed('{ where: alert.severity == "critical" }')).to.include({ types: undefined })
  })

  it('types the facts that every alert has', () => {
    expect(on('{ where: alert.severity == "critcal" }')[0]).to.match(/^E202 /)
    expect(on('{ where: "alert.title.contains(\'x\')" }')[0]).to.match(/^E207 /)
  })

  for (const [alert, said] of Object.entries({
    '{}': 'E105 an alert trigger needs `type`, `provider` or `where` (for all alerts, write where: true)',
    '{ group: false }':
      'E105 an alert trigger needs `type`, `provider` or `where` (for all alerts, write where: true)',
    '{ type: [] }': 'E106 the list of `type` is empty',
    '{ type: [a, a] }': "E107 'a' is listed twice",
    '{ type: [{ x: 1 }] }': 'E106 expected a string for `type`, found a map',
    '{ type: "brute*" }':
      'W405 alert types are compared literally, not as patterns (write a list of types, or compare alert.type in `where`)',
  })) {
    it(`refuses or warns: ${alert}`, () => {
      expect(on(alert)).to.deep.equal([said])
    })
  }

  it('conflicts with an equally specific one of another playbook that shares a type', () => {
    const file = (name: string, alert: string): CheckedFile => {
      const source = `apiVersion: tocsin/v1\nname: ${name}\non: { alert: ${alert} }\nsteps: [{ return: 1 }]\n`
      return { file: `${name}.yaml`, playbook: parsePlaybook(source).playbook! }
    }
    const rivals = (a: string, b: string) =>
      findRivals([file('one', a), file('two', b)]).map(({ code, message }) => `${code} ${message}`)
    expect(rivals('{ type: [a, b] }', '{ type: [b, c] }')).to.deep.equal([
      "W701 one.yaml and two.yaml investigate the same alerts of type 'b'; 'one' is used, which comes first by name",
    ])
    expect(rivals('{ where: true }', '{ where: true }')).to.have.length(1)
    expect(rivals('{ type: a, provider: [x, y] }', '{ type: a, provider: Y }')).to.have.length(1)
    expect(rivals('{ type: [a, b] }', '{ type: b }')).to.deep.equal([])
    expect(rivals('{ type: a }', '{ where: true }')).to.deep.equal([])
  })
})

describe('an event that starts a playbook', () => {
  const on = (text: string) => read(`on: ${text}`, '')
  const step = (trigger: string, expression: string) =>
    parsePlaybook(
      `apiVersion: tocsin/v1\nname: test\non: ${trigger}\nsteps: [{ return: '\${{ ${expression} }}' }]\n`,
    ).problems.map(({ code, message, hint }) => `${code} ${message} (${hint})`)

  for (const [text, said] of Object.entries({
    '{ case: closed }':
      'E106 expected a map for a case trigger, found a string (write case: { event: closed })',
    '{ entity: ip }':
      'E106 expected a map for an entity trigger, found a string (possible keys: kind, value, times, within, where)',
    '{ webhook: true }':
      'E106 expected a map for a webhook trigger, found the boolean true (possible keys: body, where)',
    '{ case: { event: close } }':
      "E107 'close' is not one of opened, closed, reopened, status_changed, severity_changed, verdict_changed, assignee_changed, mentioned, overdue (did you mean 'closed'?)",
    '{ case: { event: closed, where: \'case.verdict == "benign"\' } }':
      "E204 unknown name 'case' (write trigger.case)",
    '{ case: { event: closed, where: \'trigger.verdict == "benign"\' } }':
      "E205 trigger has no field 'verdict' (did you mean trigger.case.verdict?)",
    '{ webhook: { where: body.x == 1 } }': "E204 unknown name 'body' (write trigger.body)",
    '{ entity: { kind: ip, times: 3, where: \'trigger.value != "x"\' } }':
      "E205 trigger has no field 'value' (did you mean trigger.entity.value?)",
    '{ case: { event: closed, where: \'trigger.case.verdict == "bening"\' } }':
      'E202 \'bening\' is not one of unknown, benign, suspicious, malicious (did you mean "benign"?)',
    '{ case: { event: closed, where: \'trigger.before.verdict == "benign"\' } }':
      'E207 trigger.before may be null',
    '{ entity: { kind: ip, times: 0 } }': 'E107 `times` must be between 1 and 1000',
    '{ entity: { kind: ip, times: 3, within: 31d } }': 'E107 `within` is at most 30d (write 30d or less)',
    '{ entity: { kind: [ip, user], value: alert.id, times: 3 } }':
      'E112 `value` gives values of one kind, but several are listed (name one kind)',
    '{ question: { after: 31d } }': 'E107 `after` is at most 30d (write 30d or less)',
    "{ question: { where: 'trigger.question.skill.size() > 1' } }": 'E207 trigger.question.skill may be null',
    '{ run: { event: completed } }': "E107 'completed' is not one of failed, unknown",
    '{ run: {} }': 'E105 a run trigger needs `event`',
    '{ webhook: { body: { user: string } } }':
      "E311 unknown keyword 'user' (put the fields of an object under `properties`)",
    '{ webhook: { body: { type: object, properties: { size: { type: integer } } }, where: trigger.body.size > 1 } }':
      'E206 trigger.body.size may be missing',
  })) {
    it(`is checked: ${text}`, () => {
      const found = on(text)
      expect(found).to.have.length(1)
      expect(found[0]!.startsWith(said), found[0]).to.equal(true)
    })
  }

  it('provides no inputs', () => {
    expect(read('on: { case: { event: closed } }\ninputs: { user: { type: string } }', '')).to.deep.equal([
      'E312 `on.case` provides no inputs, but user has no default (give a default)',
    ])
  })

  it('types the trigger of the runs', () => {
    expect(step('{ case: { event: closed } }', 'trigger.case.verdict')).to.deep.equal([])
    expect(step('{ case: { event: closed } }', 'trigger.entity.value')[0]).to.match(
      /^E205 trigger has no field 'entity'/,
    )
    expect(step('{ case: { event: closed }, manual: true }', 'trigger.case.verdict')[0]).to.match(
      /^E206 trigger.case may be missing/,
    )
    expect(
      step('{ case: { event: closed }, manual: true }', 'trigger.?case.verdict.orValue("none")'),
    ).to.deep.equal([])
    expect(step('{ manual: true }', 'trigger.kind')).to.deep.equal([
      "E204 unknown name 'trigger' (it exists where `on` has `case`, `entity` or `webhook`)",
    ])
  })

  it('has the fields that all of several triggers have', () => {
    const both = '{ question: { after: 5m }, run: { event: failed } }'
    expect(step(both, 'trigger.run.playbook')).to.deep.equal([])
    expect(step(both, 'trigger.error.code')[0]).to.match(/^E206 trigger.error may be missing/)
    const events = '{ case: { event: closed }, run: { event: failed } }'
    expect(step(events, '"closed" in trigger.events || "failed" in trigger.events')).to.deep.equal([])
  })

  it('keeps sensitive parts of a body out of messages', () => {
    const source = (text: string) =>
      parsePlaybook(
        `apiVersion: tocsin/v1\nname: test\non: { webhook: { body: { type: object, required: [pin, user], properties: { pin: { type: string, x-sensitive: true }, user: { type: string } } } } }\nsteps: [{ uses: case.update, with: { summary: '\${{ ${text} }}' } }]\n`,
        { catalogue },
      ).problems.map(({ code }) => code)
    expect(source('trigger.body.user')).to.not.include('E315')
    expect(source('trigger.body.pin')).to.include('E315')
  })
})
