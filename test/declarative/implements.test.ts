import { expect } from 'chai'
import { checkPlugin } from '../../core/registry/check-plugin.ts'
import { implementationsOf } from '../../core/interface/definitions.ts'
import type { PluginDefinition } from '../../core/plugin/index.ts'
import { compiled, pluginWith, saidOf, skillOf } from './support.ts'

const isolate = `effect: write
repeat: safe
destructive: containment
input: { device: {}, note: {} }
request: { post: [devices, "\${{ input.device }}", contain], json: { note: "\${{ input.note }}" } }
output:
  task: { type: string, optional: true, value: "\${{ response.body.?task }}" }
  state: { type: string, value: "\${{ response.body.state }}" }
  pin: { type: string, x-sensitive: true, value: "\${{ response.body.pin }}" }
implements:
  isolate_machine:
    input: { device: "\${{ input.machine.id }}", note: "\${{ input.comment }}" }
    output:
      status: "\${{ output.state == 'contained' ? 'done' : 'pending' }}"
      reference: "\${{ output.?task }}"`

const find = `input: { name: { optional: true }, address: { optional: true } }
request: { get: /devices, query: { name: "\${{ input.?name }}", ip: "\${{ input.?address }}" } }
output:
  devices:
    each: "\${{ response.body.devices }}"
    item: { aid: { type: string, value: "\${{ item.aid }}" }, contained: { type: boolean, value: "\${{ item.contained }}" } }
implements:
  find_machine:
    only: { kind: [host] }
    input: { name: "\${{ input.value }}" }
    output:
      machines:
        each: "\${{ output.devices }}"
        item: { id: "\${{ item.aid }}", name: "\${{ input.value }}", isolated: "\${{ item.contained }}" }`

const said = (skill: string) =>
  saidOf(pluginWith({ skill }))
    .filter((line) => !line.includes(' W'))
    .join('\n')

describe('`implements` of a plugin.yaml', () => {
  it('maps the fields of an interface', () => {
    const { isolate_machine: mapped } = implementationsOf(skillOf({ skill: isolate }))
    expect(mapped!.input({ machine: { id: 'a1' }, comment: 'ACME-7' })).to.deep.equal({
      device: 'a1',
      note: 'ACME-7',
    })
    expect(mapped!.output!({ state: 'contained', pin: 'x' }, {})).to.deep.equal({
      status: 'done',
    })
  })

  it('maps lists, and reads the input of the interface', () => {
    const { find_machine: mapped } = implementationsOf(skillOf({ skill: find }))
    expect(mapped).to.deep.include({ only: { kind: ['host'] } })
    expect(
      mapped!.output!({ devices: [{ aid: 'a1', contained: true }] }, { kind: 'host', value: 'web-1' }),
    ).to.deep.equal({
      machines: [{ id: 'a1', name: 'web-1', isolated: true }],
    })
  })

  for (const [what, from, to, message] of [
    ['an unknown interface', 'isolate_machine:', 'isolate_machin:', "did you mean 'isolate_machine'?"],
    ['enrich', 'isolate_machine:', 'enrich:', "'enrich' is implemented by `enriches`: declare that"],
    ['another effect', /effect: write\nrepeat.*\ndestr.*/, 'effect: read', "the effect 'write'"],
    ['another class', 'destructive: containment', 'destructive: blocking', "of the class 'containment'"],
    ['an unknown output', 'reference: ', 'referenc: ', 'E805 the mapped output does not fit the interface'],
    [
      'a missing input',
      ', note: "${{ input.comment }}" }\n    output',
      ' }\n    output',
      "E805 'note' is required",
    ],
    ['an unknown field of the interface', 'input.machine.id', 'input.machin.id', "'machin'"],
    ['a wrong word', "'pending'", "'waiting'", 'E805'],
    ['a sensitive output', '${{ output.?task }}', '${{ output.pin }}', "'pin'"],
    [
      'a list of kinds where there is none',
      '    input: { device',
      '    only: { machine: [x] }\n    input: { device',
      'only.machine is not an input',
    ],
  ] as const) {
    it(`refuses ${what}`, () => {
      expect(said(isolate.replace(from, to))).to.include(message)
    })
  }

  it('checks the mapping for the accepted kinds only', () => {
    expect(said(find.replace('[host]', '[hosts]'))).to.include('only.kind must be a list of some of host, ip')
    const narrow = find.replace('name: { optional: true }', 'name: { enum: [host] }')
    const mapped = (skill: string) =>
      skill.replace('input: { name: "${{ input.value }}" }', 'input: { name: "${{ input.kind }}" }')
    expect(said(mapped(narrow))).to.equal('')
    expect(said(mapped(narrow).replace('    only: { kind: [host] }\n', ''))).to.include('E805')
  })

  it('refuses two skills for the same inputs of an interface', () => {
    const { skills, ...plugin } = compiled(pluginWith({ skill: isolate }))
    const both: PluginDefinition = { ...plugin, skills: [...skills, { ...skills[0]!, name: 'isolate_it' }] }
    const wrong = checkPlugin(both, undefined).filter(({ pointer }) => pointer.includes('implements'))
    expect(wrong).to.deep.equal([
      {
        pointer: '/skills/isolate_it/implements/isolate_machine',
        message: 'is also implemented by get_it: tell them apart with `only`',
      },
    ])
  })
})
