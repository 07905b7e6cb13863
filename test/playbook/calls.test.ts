import { expect } from 'chai'
import { callablePlaybooks } from '../../core/playbook/read/callable-playbooks.ts'
import { catalogue, check, codesOf, withSteps, errorCodesOf } from './support.ts'

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
    errorCodesOf(`${before}  - { uses: messaging.send_message, with: { text: "${text}" } }`, inputs)

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
    expect(errorCodesOf('  - fail: "the pin is ${{ inputs.pin }}"', inputs)).to.deep.equal(['E315'])
    expect(errorCodesOf('  - fail: "the host is ${{ inputs.host }}"', inputs)).to.deep.equal([])
  })

  it('stay sensitive as items, as defaults, and under computed keys', () => {
    const pins = 'inputs: { pins: { type: array, items: { type: string }, sensitive: true, default: [] } }'
    const item =
      '  - { foreach: "${{ inputs.pins }}", uses: messaging.send_message, with: { text: "${{ item }}" } }'
    expect(errorCodesOf(item, pins)).to.deep.equal(['E315'])
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
      errorCodesOf(`  - { uses: messaging.send_message, with: { text: "${text}" } }`, user)
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
      errorCodesOf(
        `  - checkpoint: { via: operator, with: { message: "${message}" }, answers: [a], timeout: 1h }`,
        inputs,
      )
    expect(ask('${{ inputs.pin }}')).to.deep.equal(['E315'])
    expect(ask('${{ inputs.host }}')).to.deep.equal([])
  })
})
