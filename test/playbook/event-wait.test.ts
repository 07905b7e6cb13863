import { expect } from 'chai'
import { check, parsed, withSteps } from './support.ts'

const messages = (wait: string, rest = '') =>
  check(withSteps(`  - id: a\n    wait: { ${wait} }\n${rest}`)).map(
    ({ code, message }) => `${code} ${message}`,
  )
const alert = 'for: { alert: { type: seen } }'

describe('a wait for an event', () => {
  it('is read with its defaults', () => {
    const [step] = parsed(withSteps(`  - wait: { ${alert}, timeout: 1h }`)).steps
    expect(step).to.deep.include({
      action: 'wait',
      wait: {
        event: {
          of: { kind: 'alert', type: { kind: 'literal', value: 'seen' }, provider: undefined },
          where: undefined,
          schema: undefined,
          sinceRun: false,
          withinMs: { kind: 'literal', value: 3_600_000 },
          continues: false,
        },
      },
    })
  })

  for (const [name, wait, problems] of [
    ['a missing timeout', alert, ['E105 a `wait` for an event needs `timeout`']],
    ['nothing to wait for', '', ['E105 a `wait` needs `until` or `for`']],
    ['an unknown event', 'for: { mail: {} }, timeout: 1h', ["E104 unknown key 'mail' in an event"]],
    ['a condition of a time', "until: '2026-01-01T00:00:00Z', where: a", ['E112 `where` goes with `for`']],
    [
      'a time and an event',
      `until: '2026-01-01T00:00:00Z', ${alert}, timeout: 1h`,
      ['E112 `until` and `for` cannot be combined'],
    ],
    [
      'types that are no strings',
      'for: { alert: { type: [1] } }, timeout: 1h',
      ['E106 expected a string or a list of strings for `type`, found a list of whole numbers'],
    ],
    ['an unknown start', `${alert}, timeout: 1h, since: ever`, ["E107 'ever' is not one of step, run"]],
    ['an unknown end', `${alert}, timeout: 1h, on_timeout: no`, ["E107 'no' is not one of fail, continue"]],
    [
      'a name that is not the event',
      `${alert}, timeout: 1h, where: alrt.id == ''`,
      ["E204 unknown name 'alrt'"],
    ],
  ] as const)
    it(`reports ${name}`, () => expect(messages(wait)).to.deep.equal(problems))

  it('types the event by its schema, in the condition and in the output', () => {
    const schema = 'schema: { type: object, required: [user], properties: { user: { type: string } } }'
    const typed = `${alert}, timeout: 1h, ${schema}`
    expect(messages(`${typed}, where: event.data.usr == 'a'`)).to.deep.equal([
      "E205 event.data has no field 'usr'",
    ])
    const read = (expression: string, rest = '') =>
      messages(`${typed}${rest}`, `  - return: "\${{ ${expression} }}"\n`)
    expect(read('steps.a.output.event.data.user')).to.deep.equal([])
    expect(read('steps.a.output.event.content')).to.deep.equal([
      "E205 steps.a.output.event has no field 'content'",
    ])
    expect(read('steps.a.output.event.id', ', on_timeout: continue')).to.deep.equal([
      'E206 steps.a.output.event may be missing',
    ])
  })

  it('types the change of a case, and takes only events that exist', () => {
    const wait = 'for: { case: { event: closed } }, timeout: 1h'
    expect(messages(`${wait}, where: event.case.verdict == 'malicious'`)).to.deep.equal([])
    expect(messages(`${wait}, where: event.case.status == 'done'`)[0]).to.match(/^E202 'done' is not one of /)
    expect(messages('for: { case: { event: [shut] } }, timeout: 1h')[0]).to.match(
      /^E107 'shut' is not one of opened/,
    )
    expect(messages(`${wait}, since: run, schema: { type: object }`)).to.deep.equal([
      'E112 `since` goes with `alert`',
      'E112 `schema` goes with `alert`',
    ])
    expect(messages('for: { alert: {}, case: {} }, timeout: 1h')).to.deep.equal([
      'E112 an event is an `alert` or a `case`, not both',
    ])
    expect(messages('for: {}, timeout: 1h')).to.deep.equal(['E105 an event needs `alert` or `case`'])
  })

  it('sees the event only in its condition', () => {
    expect(messages(`${alert}, timeout: 1h`, '  - return: "${{ event.id }}"\n')[0]).to.include('unknown name')
  })
})
