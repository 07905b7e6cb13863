import { expect } from 'chai'
import { resolveInputs } from '../../core/playbook/template/inputs.ts'
import { check, codesOf, parsed, withSteps, errorCodesOf } from './support.ts'

describe('inputs of a playbook', () => {
  const inputs = `inputs:
  user: { type: string, default: eve, enum: [eve, adam], description: Who }
  within: { type: duration, default: 30m }
  since: { type: timestamp, default: "2026-01-01T00:00:00Z" }
  limits: { type: object, default: { most: 3 }, required: [most], properties: { most: { type: integer } } }`
  const read = (expression: string) => errorCodesOf(`  - return: "\${{ ${expression} }}"`, inputs)

  it('are typed in expressions', () => {
    expect(read("inputs.within > duration('1m') && inputs.since < now")).to.deep.equal([])
    expect(read('inputs.limits.most + 1')).to.deep.equal([])
    expect(read("inputs.user == 'bob'")).to.deep.equal(['E202'])
    expect(read('inputs.usr')).to.deep.equal(['E205'])
    expect(read('inputs.within + 1')).to.deep.equal(['E203'])
  })

  it('do not exist if none are declared', () => {
    const [problem] = check(withSteps('  - return: "${{ inputs.user }}"'))
    expect(problem).to.include({ code: 'E204', hint: 'declare them at the top, under `inputs`' })
  })

  it('must have valid defaults and schemas', () => {
    expect(errorCodesOf('  - return: 1', 'inputs: { a: { type: duration, default: soon } }')).to.deep.equal([
      'E308',
    ])
    expect(
      errorCodesOf('  - return: 1', 'inputs: { a: { type: string, enum: [b], default: c } }'),
    ).to.deep.equal(['E308'])
    expect(errorCodesOf('  - return: 1', 'inputs: { a: { type: text, default: c } }')).to.deep.equal(['E311'])
    expect(errorCodesOf('  - return: 1', 'inputs: { A-b: { type: string, default: c } }')).to.deep.equal([
      'E107',
    ])
    expect(errorCodesOf('  - return: 1', 'inputs: [a]')).to.deep.equal(['E106'])
  })

  it('are resolved with defaults, and all mismatches are reported', () => {
    const playbook = parsed(
      'apiVersion: tocsin/v1\nname: x\non: { manual: true }\ninputs: { who: { type: string }, days: { type: integer, default: 3 } }\nsteps: [{ return: 1 }]',
    )
    expect(resolveInputs(playbook, { who: 'eve' })).to.deep.equal({ who: 'eve', days: 3 })
    const wrong = () => resolveInputs(playbook, { days: 'x', __proto__: 1, hasOwnProperty: 2 })
    expect(wrong).to.throw().with.property('code', 'inputs_invalid')
    try {
      wrong()
    } catch (error) {
      const { errors } = error as { readonly errors: readonly { readonly pointer: string }[] }
      expect(errors.map(({ pointer }) => pointer)).to.have.members(['/hasOwnProperty', '/who', '/days'])
    }
  })

  it('explain the duration format', () => {
    const playbook = parsed(
      'apiVersion: tocsin/v1\nname: x\non: { manual: true }\ninputs: { d: { type: duration } }\nsteps: [{ return: 1 }]',
    )
    expect(() => resolveInputs(playbook, { d: '2x' })).to.throw(/: d must be a duration, such as [^?]*1h30m$/)
  })
})

describe('the declared content of alerts', () => {
  const alert =
    'alert: { type: object, required: [risk], properties: { risk: { type: number }, host: { type: string } } }'

  it('types alert.data', () => {
    expect(errorCodesOf('  - return: "${{ alert.data.risk + 1 }}"', alert)).to.deep.equal([])
    expect(errorCodesOf('  - return: "${{ alert.data.rsik }}"', alert)).to.deep.equal(['E205'])
    expect(errorCodesOf('  - return: "${{ alert.data.host }}"', alert)).to.deep.equal(['E206'])
  })

  it('needs alerts and a valid schema', () => {
    const manual = `apiVersion: tocsin/v1\nname: x\non: { manual: true }\n${alert}\nsteps: [{ return: 1 }]`
    expect(codesOf(check(manual))).to.deep.equal(['E112'])
    expect(errorCodesOf('  - return: 1', 'alert: { type: object, patternProperties: {} }')).to.deep.equal([
      'E311',
    ])
  })
})

describe('repeat and on_interrupted', () => {
  const poll = (repeat: string) =>
    errorCodesOf(`  - { uses: travel.search_user_travel, with: { email: x }, repeat: { ${repeat} } }`)

  it('sees the output of the step or of the steps inside', () => {
    expect(poll('until: size(output.trips) > 0, every: 10s, max: 5')).to.deep.equal([])
    expect(poll('until: output.trip, every: 10s, max: 5')).to.deep.equal(['E205'])
    const [wrong] = check(
      withSteps(
        '  - repeat: { until: output.x > 0, every: 1m, max: 9 }\n    steps: [{ id: t, set: { x: 1 } }]',
      ),
    )
    expect(wrong?.hint).to.include('of a group, read its steps')
    const group =
      '  - repeat: { until: size(steps.t.output.trips) > 0, every: 1m, max: 9 }\n    steps: [{ id: t, uses: travel.search_user_travel, with: { email: x } }]'
    expect(errorCodesOf(group)).to.deep.equal([])
  })

  it('is bounded', () => {
    expect(poll('until: true, every: 10s')).to.deep.equal(['E105'])
    expect(poll('until: true, every: 10s, max: 5000')).to.deep.equal(['E107'])
    expect(errorCodesOf('  - { set: { x: 1 }, repeat: { until: true, every: 1s, max: 2 } }')).to.deep.equal([
      'E112',
    ])
  })

  it('on_interrupted is one of four, for skills only', () => {
    expect(errorCodesOf('  - { uses: case.update, on_interrupted: skip }')).to.deep.equal([])
    const skipped =
      '  - { id: t, uses: travel.search_user_travel, with: { email: x }, on_interrupted: skip }\n  - return: "${{ steps.t.output.trips }}"'
    expect(errorCodesOf(skipped), 'then there may be no output').to.deep.equal(['E206'])
    expect(errorCodesOf('  - { uses: case.update, on_interrupted: never }')).to.deep.equal(['E107'])
    expect(errorCodesOf('  - { set: { x: 1 }, on_interrupted: skip }')).to.deep.equal(['E112'])
  })
})

describe('checkpoints', () => {
  const ask = (body: string, rest = '') => errorCodesOf(`  - id: ask\n    checkpoint: { ${body} }\n${rest}`)
  const operator = 'via: operator, with: { message: "You?" }, timeout: 1h'
  const read = (expression: string) => `  - return: "\${{ ${expression} }}"`

  it('have a typed output', () => {
    const whole = `${operator}, answers: [mine, other], on_timeout: no_reply`
    expect(ask(whole, read("steps.ask.output.answer == 'no_reply'"))).to.deep.equal([])
    expect(ask(whole, read("steps.ask.output.answer == 'perhaps'"))).to.deep.equal(['E202'])
    expect(ask(whole, read('steps.ask.output.at < now && steps.ask.output.by != null'))).to.deep.equal([])
    expect(ask(whole, read("steps.ask.output.?by_name.orValue('?') == '?'"))).to.deep.equal([])
    expect(ask(whole, read('steps.ask.output.by_name'))).to.deep.equal(['E206'])
    const form = `${operator}, form: { type: object, required: [n], properties: { n: { type: integer } } }`
    expect(ask(form, read('steps.ask.output.answer.n + 1'))).to.deep.equal([])
    expect(ask(form, read('steps.ask.output.answer.m'))).to.deep.equal(['E205'])
  })

  it('need a timeout and answers or a form', () => {
    expect(ask('via: operator, with: { message: x }, answers: [a]')).to.deep.equal(['E105'])
    expect(ask(operator)).to.deep.equal(['E105'])
    expect(ask(`${operator}, answers: [a, a]`)).to.deep.equal(['E107'])
    expect(ask(`${operator}, answers: [a, fail]`)).to.deep.equal(['E107'])
    expect(ask(`${operator}, answers: [a], form: {}`)).to.deep.equal(['E112'])
    expect(ask('via: operator, with: { message: x }, answers: [a], timeout: soon')).to.deep.equal(['E310'])
    expect(ask(`${operator}, form: { type: integer }, on_timeout: no`)).to.deep.equal(['E307'])
  })

  it('ask through an asking skill, whose other inputs come from the engine', () => {
    const via = 'via: messaging.checkpoint, answers: [a], timeout: 1h'
    expect(ask(`${via}, with: { user: eve, message: hello }`)).to.deep.equal([])
    expect(ask(`${via}, with: { user: eve }`)).to.deep.equal(['E306'])
    expect(ask(`${via}, with: { message: x, checkpoint_id: mine }`)).to.deep.equal(['E305'])
    expect(ask('via: messaging.checkpoint, with: { message: x }, form: {}, timeout: 1h')).to.deep.equal([
      'E319',
    ])
    expect(ask('via: case.update, answers: [a], timeout: 1h')).to.deep.equal(['E319'])
    expect(ask('via: operator, with: { text: x }, answers: [a], timeout: 1h')).to.have.members([
      'E305',
      'E306',
    ])
  })
})
