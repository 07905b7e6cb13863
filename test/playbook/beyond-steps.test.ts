import { expect } from 'chai'
import { callablePlaybooks } from '../../core/playbook/read/callable-playbooks.ts'
import { resolveInputs } from '../../core/playbook/template/inputs.ts'
import { catalogue, check, codesOf, parsed, withSteps } from './support.ts'

const errorsOf = (source: string) =>
  check(source)
    .filter(({ severity }) => severity === 'error')
    .map(({ code, message }) => `${code} ${message}`)
const codes = (steps: string, rest = '') =>
  codesOf(check(withSteps(steps, rest)).filter(({ severity }) => severity === 'error'))

describe('inputs of a playbook', () => {
  const inputs = `inputs:
  user: { type: string, default: eve, enum: [eve, adam], description: Who }
  within: { type: duration, default: 30m }
  since: { type: timestamp, default: "2026-01-01T00:00:00Z" }
  limits: { type: object, default: { most: 3 }, required: [most], properties: { most: { type: integer } } }`
  const read = (expression: string) => codes(`  - return: "\${{ ${expression} }}"`, inputs)

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
    expect(codes('  - return: 1', 'inputs: { a: { type: duration, default: soon } }')).to.deep.equal(['E308'])
    expect(codes('  - return: 1', 'inputs: { a: { type: string, enum: [b], default: c } }')).to.deep.equal([
      'E308',
    ])
    expect(codes('  - return: 1', 'inputs: { a: { type: text, default: c } }')).to.deep.equal(['E311'])
    expect(codes('  - return: 1', 'inputs: { A-b: { type: string, default: c } }')).to.deep.equal(['E107'])
    expect(codes('  - return: 1', 'inputs: [a]')).to.deep.equal(['E106'])
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
    expect(codes('  - return: "${{ alert.data.risk + 1 }}"', alert)).to.deep.equal([])
    expect(codes('  - return: "${{ alert.data.rsik }}"', alert)).to.deep.equal(['E205'])
    expect(codes('  - return: "${{ alert.data.host }}"', alert)).to.deep.equal(['E206'])
  })

  it('needs alerts and a valid schema', () => {
    const manual = `apiVersion: tocsin/v1\nname: x\non: { manual: true }\n${alert}\nsteps: [{ return: 1 }]`
    expect(codesOf(check(manual))).to.deep.equal(['E112'])
    expect(codes('  - return: 1', 'alert: { type: object, patternProperties: {} }')).to.deep.equal(['E311'])
  })
})

describe('repeat and on_interrupted', () => {
  const poll = (repeat: string) =>
    codes(`  - { uses: travel.search_user_travel, with: { email: x }, repeat: { ${repeat} } }`)

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
    expect(codes(group)).to.deep.equal([])
  })

  it('is bounded', () => {
    expect(poll('until: true, every: 10s')).to.deep.equal(['E105'])
    expect(poll('until: true, every: 10s, max: 5000')).to.deep.equal(['E107'])
    expect(codes('  - { set: { x: 1 }, repeat: { until: true, every: 1s, max: 2 } }')).to.deep.equal(['E112'])
  })

  it('on_interrupted is one of four, for skills only', () => {
    expect(codes('  - { uses: case.update, on_interrupted: skip }')).to.deep.equal([])
    const skipped =
      '  - { id: t, uses: travel.search_user_travel, with: { email: x }, on_interrupted: skip }\n  - return: "${{ steps.t.output.trips }}"'
    expect(codes(skipped), 'then there may be no output').to.deep.equal(['E206'])
    expect(codes('  - { uses: case.update, on_interrupted: never }')).to.deep.equal(['E107'])
    expect(codes('  - { set: { x: 1 }, on_interrupted: skip }')).to.deep.equal(['E112'])
  })
})

describe('checkpoints', () => {
  const ask = (body: string, rest = '') => codes(`  - id: ask\n    checkpoint: { ${body} }\n${rest}`)
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

describe('calls', () => {
  const callee = (rest: string) =>
    `apiVersion: tocsin/v1\nname: contain-host\non: { call: true }\ninputs: { host: { type: string }, force: { type: boolean, default: false } }\n${rest}`
  const contain = callee('steps: [{ set: { x: 1 } }]\noutputs: { host: "${{ inputs.host }}" }')
  const library = (sources: Readonly<Record<string, string>>) =>
    callablePlaybooks(new Map(Object.entries(sources)), catalogue)
  const call = (steps: string, sources: Readonly<Record<string, string>> = { 'contain-host': contain }) =>
    codesOf(
      check(withSteps(steps), { playbooks: library(sources) }).filter(({ severity }) => severity === 'error'),
    )

  it('have the inputs and the output of the called playbook', () => {
    const read = (field: string) =>
      `  - { id: c, call: contain-host, with: { host: pc-1 } }\n  - return: "\${{ steps.c.output.${field} }}"`
    expect(call(read('host.lowerAscii()'))).to.deep.equal([])
    expect(call(read('hots'))).to.deep.equal(['E205'])
    expect(call('  - call: contain-host')).to.deep.equal(['E306'])
    expect(call('  - { call: contain-host, with: { host: a, why: b } }')).to.deep.equal(['E305'])
    expect(call('  - { call: contain-host, with: { host: a, force: 7 } }')).to.deep.equal(['E307'])
  })

  it('have the type of what the called playbook returns', () => {
    const returning = callee('steps: [{ return: { verdict: benign } }]')
    const read = (text: string) =>
      `  - { id: c, call: contain-host, with: { host: a } }\n  - return: "\${{ ${text} }}"`
    const sources = { 'contain-host': returning }
    expect(call(read("steps.c.output.verdict == 'benign'"), sources)).to.deep.equal([])
    expect(call(read("steps.c.output.verdict == 'malicious'"), sources)).to.deep.equal(['E202'])
  })

  it('have a default that matches one of the possible outputs', () => {
    const sources = {
      'contain-host': callee(
        'steps: [{ if: inputs.force, return: { got: yes, who: eve } }]\noutputs: { got: other }',
      ),
    }
    const withDefault = (value: string) =>
      `  - { id: c, if: run.dry_run, call: contain-host, with: { host: a }, default: ${value} }\n`
    expect(call(withDefault('{ got: nobody }'), sources)).to.deep.equal([])
    expect(call(withDefault('{ got: nobody, who: adam }'), sources)).to.deep.equal([])
    expect(
      call(`${withDefault('{ got: none }')}  - fail: "\${{ steps.c.output.got }}"`, sources),
    ).to.deep.equal([])
    const [first, ...others] = check(withSteps(withDefault('{ got: 5 }')), { playbooks: library(sources) })
    expect(first).to.include({ code: 'E308', message: "expected a string for 'got', found the number 5" })
    expect(others.filter(({ severity }) => severity === 'error')).to.deep.equal([])
  })

  it('are refused for playbooks that cannot be called', () => {
    expect(call('  - call: nobody')).to.deep.equal(['E316'])
    const step = '  - { call: contain-host, with: { host: a } }'
    expect(call(step, { 'contain-host': contain.replace('call: true', 'manual: true') })).to.deep.equal([
      'E317',
    ])
    expect(call(step, { 'contain-host': callee('steps: [{ uses: no.such }]') })).to.deep.equal(['E317'])
  })

  it('never form a cycle, directly or indirectly', () => {
    expect(call('  - call: test')).to.deep.equal(['E318'])
    const back = callee('steps: [{ call: test }]')
    expect(call('  - { call: contain-host, with: { host: a } }', { 'contain-host': back })).to.deep.equal([
      'E318',
    ])
  })
})

describe('sensitive values', () => {
  const inputs =
    'inputs: { pin: { type: string, sensitive: true, default: x }, host: { type: string, default: y } }'
  const say = (text: string, before = '') =>
    codes(`${before}  - { uses: messaging.send_message, with: { text: "${text}" } }`, inputs)

  it('are refused in messages, also through other steps', () => {
    expect(say('on ${{ inputs.host }}')).to.deep.equal([])
    expect(say('it is ${{ inputs.pin }}')).to.deep.equal(['E315'])
    const before =
      '  - { id: s, set: { both: "${{ inputs.pin + inputs.host }}", host: "${{ inputs.host }}" } }\n'
    expect(say('${{ steps.s.output.both }}', before)).to.deep.equal(['E315'])
    expect(say('${{ steps.s.output.host }}', before)).to.deep.equal([])
    expect(say('${{ json(steps.s.output) }}', before)).to.deep.equal(['E315'])
  })

  it('are refused in failure messages', () => {
    expect(codes('  - fail: "the pin is ${{ inputs.pin }}"', inputs)).to.deep.equal(['E315'])
    expect(codes('  - fail: "the host is ${{ inputs.host }}"', inputs)).to.deep.equal([])
  })

  it('stay sensitive as items, as defaults, and under computed keys', () => {
    const pins = 'inputs: { pins: { type: array, items: { type: string }, sensitive: true, default: [] } }'
    const item =
      '  - { foreach: "${{ inputs.pins }}", uses: messaging.send_message, with: { text: "${{ item }}" } }'
    expect(codes(item, pins)).to.deep.equal(['E315'])
    const preset = '  - { id: s, if: run.dry_run, set: { a: x }, default: { a: "${{ inputs.pin }}" } }\n'
    expect(say('${{ steps.s.output.a }}', preset)).to.deep.equal(['E315'])
    expect(say("${{ string(inputs['p' + 'in']) }}")).to.deep.equal(['E315'])
    expect(say("${{ [inputs.pin].map(each, each + '!').join() }}")).to.deep.equal(['E315'])
  })

  it('are marked by a schema, at any depth', () => {
    const user = `inputs:
  user:
    type: object
    required: [names, id]
    properties:
      names: { type: array, items: { type: string, x-sensitive: true } }
      id: { type: string }
    default: { names: [], id: a }`
    const tell = (text: string) =>
      codes(`  - { uses: messaging.send_message, with: { text: "${text}" } }`, user)
    expect(tell('${{ inputs.user.names[0] }}')).to.deep.equal(['E315'])
    expect(tell('${{ inputs.user.id }}')).to.deep.equal([])
  })

  it('stay sensitive when a called playbook returns them', () => {
    const back = (rest: string) =>
      `apiVersion: tocsin/v1\nname: callee\non: { call: true }\ninputs: { pin: { type: string, sensitive: true }, host: { type: string } }\n${rest}\n`
    const tell = (callee: string, field: string) => {
      const source = withSteps(
        `  - { id: c, call: callee, with: { pin: abcd, host: h } }\n  - { uses: messaging.send_message, with: { text: "\${{ steps.c.output${field} }}" } }`,
      )
      const playbooks = callablePlaybooks(new Map([['callee', callee]]), catalogue)
      return codesOf(check(source, { playbooks }))
    }
    const whole = back('steps: [{ return: "${{ inputs.pin }}" }]')
    expect(tell(whole, '')).to.deep.equal(['E315'])
    const outputs = back(
      'steps: [{ wait: 1s }]\noutputs: { pin: "${{ inputs.pin }}", host: "${{ inputs.host }}" }',
    )
    expect(tell(outputs, '.pin')).to.deep.equal(['E315'])
    expect(tell(outputs, '.host')).to.deep.equal([])
  })

  it('are refused in questions', () => {
    const ask = (message: string) =>
      codes(
        `  - checkpoint: { via: operator, with: { message: "${message}" }, answers: [a], timeout: 1h }`,
        inputs,
      )
    expect(ask('${{ inputs.pin }}')).to.deep.equal(['E315'])
    expect(ask('${{ inputs.host }}')).to.deep.equal([])
  })
})

describe('triggers of a playbook', () => {
  const on = (text: string, rest = '') =>
    errorsOf(`apiVersion: tocsin/v1\nname: x\non: { ${text} }\n${rest}steps: [{ return: 1 }]`).map((each) =>
      each.slice(0, 4),
    )

  it('may be a schedule, as a string or as a map with inputs', () => {
    expect(on('schedule: "0 8 * * 1-5"')).to.deep.equal([])
    const inputs = 'inputs: { host: { type: string } }\n'
    expect(
      on(
        'schedule: { cron: "*/5 * * * *", organizations: [acme], inputs: { host: a }, overlap: true }',
        inputs,
      ),
    ).to.deep.equal([])
    expect(on('schedule: "0 8 * * 1-5"', inputs)).to.deep.equal(['E312'])
    expect(on('schedule: { cron: "0 8 * * *", inputs: { host: 7 } }', inputs)).to.deep.equal(['E312'])
    expect(on('schedule: tomorrow')).to.deep.equal(['E313'])
    expect(on('schedule: "0 0 30 2 *"')).to.deep.equal(['E313'])
  })

  it('are required', () => {
    expect(on('')).to.deep.equal(['E105'])
    expect(on('call: yes')).to.deep.equal(['E106'])
  })

  it('allow a concurrency key over the values known at queueing', () => {
    const keyed = (key: string) => on('alert: { type: t }', `concurrency: { key: "${key}", policy: drop }\n`)
    expect(keyed('host ${{ alert.data.host }}')).to.deep.equal([])
    expect(keyed('${{ case.id }}')).to.deep.equal(['E204'])
    expect(on('alert: { type: t }', 'concurrency: { key: a, policy: wait }\n')).to.deep.equal(['E107'])
  })

  it('allow defaults of connections by plugin', () => {
    const source = withSteps(
      '  - { uses: messaging.send_message, with: { text: x } }\n  - { uses: messaging.send_message, connection: b, with: { text: x } }',
      'defaults: { connections: { messaging: a } }',
    )
    const [first, second] = parsed(source).steps
    expect([first, second]).to.have.nested.property('[0].connection', 'a')
    expect([first, second]).to.have.nested.property('[1].connection', 'b')
    const connections = [{ name: 'b', plugin: 'messaging' }]
    expect(codesOf(check(source, { connections }))).to.deep.equal(['E304'])
  })
})

describe('facts after a checkpoint', () => {
  const skipped = '  - { id: t, if: run.dry_run, uses: travel.search_user_travel, with: { email: x } }\n'
  const then = (condition: string) =>
    codes(`${skipped}  - { if: "${condition}", set: { x: "\${{ steps.t.output.trips }}" } }`)

  it('include the output of a step that is ok, or completed', () => {
    expect(then('steps.t.ok')).to.deep.equal([])
    expect(then("steps.t.status == 'completed'")).to.deep.equal([])
    expect(then('!steps.t.ok')).to.deep.equal(['E206'])
    expect(then("steps.t.status != 'completed'")).to.deep.equal(['E206'])
    expect(then('run.dry_run')).to.deep.equal(['E206'])
  })

  it('include the error of a failed run, in finally', () => {
    const last = (text: string) => codes('  - return: 1', `finally: [{ set: { x: "\${{ ${text} }}" } }]`)
    expect(last("error != null && error.code == 'x'")).to.deep.equal([])
    expect(last("error.code == 'x'")).to.deep.equal(['E207'])
    expect(codes('  - fail: x', 'on_error: [{ set: { x: "${{ error.code }}" } }]')).to.deep.equal([])
  })
})

describe('the message of a failed run', () => {
  const said = (value: string) => errorsOf(withSteps(`  - fail: ${value}`))

  it('is a string; other types are named in the problem', () => {
    expect(said(`'\${{ run.dry_run ? "a" : "b" }}'`)).to.deep.equal([])
    expect(said(`'\${{ run.dry_run ? "a" : null }}'`)).to.deep.equal([
      'E207 fail: the value may be null; expected string',
    ])
    expect(said(`'\${{ size(run.id) }}'`)).to.deep.equal([
      "E106 expected a string for 'fail', found an expression that gives a whole number",
    ])
    expect(said('[a]')).to.deep.equal(['E106 expected a string for `fail`, found a list'])
  })
})
