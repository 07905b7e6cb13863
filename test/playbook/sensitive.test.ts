import { expect } from 'chai'
import { join } from 'node:path'
import { hide } from '../../core/domain/mask.ts'
import { parsePlaybook } from '../../core/playbook/read/parse.ts'
import { callablePlaybooks } from '../../core/playbook/read/callable-playbooks.ts'
import { acceptedBy, maskOfSchema, maskOfType } from '../../core/playbook/check/mask-of-type.ts'
import { object, sensitive, string, union } from '../../core/expression/index.ts'
import type { JsonSchema } from '../../core/plugin/index.ts'
import type { Catalogue } from '../../core/registry/catalogue.ts'
import { discoverPlugins } from '../../core/registry/discover-plugins.ts'

describe('sensitive values in a playbook', () => {
  let catalogue: Catalogue
  before(async () => {
    const pluginsDir = join(import.meta.dirname, '../../plugins')
    catalogue = await discoverPlugins({ pluginsDir, packages: [] })
  })

  const head = `apiVersion: tocsin/v1
name: p
on: { manual: true }
inputs:
  pin: { type: string, sensitive: true }
  pins: { type: array, items: { type: string }, sensitive: true }
  user: { type: object, properties: { name: { type: string }, code: { type: string, x-sensitive: true } }, required: [name, code] }
  open: { type: string }
steps:
`
  const errors = (steps: string, playbooks?: Record<string, string>) => {
    const called = new Map(Object.entries(playbooks ?? {}))
    const callable = callablePlaybooks(called, catalogue)
    const { problems } = parsePlaybook(head + steps, { catalogue, playbooks: callable })
    return problems.filter(({ severity }) => severity === 'error').map(({ code }) => code)
  }
  const pin = '${{ inputs.pin }}'

  it('do not leave the run through any input of a shipped skill', () => {
    for (const [skill, input] of [
      ['case.comment', `{ text: "it is ${pin}" }`],
      ['case.update', `{ summary: "${pin}" }`],
      ['case.update', `{ add_tags: ["${pin}"] }`],
      ['case.create', `{ title: "${pin}" }`],
      ['http.get', `{ url: 'https://example.com', query: { q: "${pin}" } }`],
      ['http.send', `{ method: POST, url: 'https://example.com', json: { deep: [{ pin: "${pin}" }] } }`],
      ['http.send', `{ method: POST, url: 'https://example.com', headers: { x: "${pin}" } }`],
      ['messaging.send_message', `{ to: 'C1', text: "${pin}" }`],
      ['endpoint_security.isolate_machine', `{ id: "${pin}", comment: x }`],
      ['indicators.extract', `{ text: "${pin}" }`],
    ] as const)
      expect(errors(`  - { uses: ${skill}, with: ${input} }\n`), `${skill} ${input}`).to.include('E315')
    const ask = `{ via: operator, with: { message: "${pin}" }, answers: [a], timeout: 1h, on_timeout: a }`
    expect(errors(`  - checkpoint: ${ask}\n`)).to.deep.equal(['E315'])
    expect(errors(`  - fail: "${pin}"\n`)).to.deep.equal(['E315'])
  })

  it('do not reach people or their answers through a list of people', () => {
    const ask = (checkpoint: string) =>
      errors(
        `  - { id: a, checkpoint: { ${checkpoint}, answers: [a], timeout: 1h } }\n  - uses: case.comment\n    with: { text: "\${{ steps.a.output.missing[0] }}" }\n`,
      )
    const list = 'ask: "${{ inputs.pins }}", via: operator'
    expect(ask(`${list}, with: { message: "\${{ person }}?" }`)).to.deep.equal(['E315', 'E315'])
    expect(ask(`${list}, with: { message: "Well?" }`)).to.deep.equal(['E315'])
  })

  const say = (expression: string, before = '') =>
    errors(`${before}  - uses: case.comment\n    with:\n      text: >-\n        \${{ ${expression} }}\n`)

  it('stay sensitive in derived values', () => {
    for (const derived of [
      'inputs.pin.upperAscii()',
      'inputs.pin + "x"',
      '"x".replace("x", inputs.pin)',
      'sha256(inputs.pin)',
      'json(inputs)',
      'json(inputs.user)',
      'inputs.user.code',
      'string(inputs["us" + "er"])',
      'inputs.pins.join(",")',
      'inputs.pins[0]',
      'inputs.pins.filter(p, p != "x").map(p, p + "!")[0]',
      'inputs.pins.map(p, {"p": p})[0].p',
      '(inputs.pins + ["x"])[1]',
      'inputs.open == "x" ? inputs.pin : "y"',
      'cel.bind(p, inputs.pin, p)',
      '{"a": inputs.pin}.a',
      '{inputs.pin: 1}.map(k, k)[0]',
      'optional.of(inputs.pin).orValue("")',
      'optional.none().or(optional.of(inputs.pin)).value()',
      'optional.of(inputs.user).optMap(u, u.code).orValue("")',
      'string(-int(inputs.pin))',
      'string(parseJson(inputs.pin).a.b)',
      'inputs.pin.split("")[0]',
      '([inputs.user] + [])[0].code',
      'optional.of([inputs.user]).orValue([]).map(u, u.code)[0]',
      'json(optional.of([inputs.user]).orValue([]))',
    ])
      expect(say(derived), derived).to.deep.equal(['E315'])
  })

  it('do not make their comparisons, sizes or siblings sensitive', () => {
    for (const open of [
      'string(size(inputs.pin))',
      'string(inputs.pin == "x")',
      'inputs.pin.startsWith("x") ? "yes" : "no"',
      'string(inputs.pins.exists(p, p == "x"))',
      'string(size(inputs.pins.filter(p, p.matches("^x"))))',
      'type(inputs.pin) == string ? "text" : "other"',
      'inputs.user.name',
      'optional.of(inputs.user).orValue({"name": "", "code": ""}).name',
      '[inputs.user].map(u, u.name)[0]',
      '([inputs.user] + [inputs.user])[0].name',
      'inputs.open.upperAscii()',
      '([inputs.user] + [])[0].name',
      'optional.of([inputs.user]).orValue([]).map(u, u.name)[0]',
    ])
      expect(say(open), open).to.deep.equal([])
  })

  it('are followed through set, foreach, defaults, conditions and calls', () => {
    const set = '  - { id: s, set: { deep: { pin: "${{ inputs.pin }}", open: "${{ inputs.open }}" } } }\n'
    expect(say('steps.s.output.deep.pin', set)).to.deep.equal(['E315'])
    expect(say('steps.s.output.deep.open', set)).to.deep.equal([])
    const each =
      '  - { id: e, foreach: "${{ inputs.pins }}", set: { p: "${{ item }}", i: "${{ index }}" } }\n'
    expect(say('steps.e.output[0].p', each)).to.deep.equal(['E315'])
    expect(say('string(steps.e.output[0].i)', each)).to.deep.equal([])
    expect(say('steps.e.items.filter(i, i.status == "completed")[0].output.p', each)).to.deep.equal(['E315'])
    const group =
      '  - { id: g, foreach: "${{ inputs.pins }}", steps: [{ id: i, set: { p: "${{ item }}" } }], output: { p: "${{ steps.i.output.p }}", i: "${{ index }}" } }\n'
    expect(say('steps.g.output[0].p', group)).to.deep.equal(['E315'])
    expect(say('string(steps.g.output[0].i)', group)).to.deep.equal([])
    const preset =
      '  - { id: d, if: size(inputs.open) > 1, set: { p: open }, default: { p: "${{ inputs.pin }}" } }\n'
    expect(say('steps.d.output.p', preset)).to.deep.equal(['E315'])
  })

  it('are accepted by a called playbook only if it declares them, and returned as it declares', () => {
    const callee = (declared: string) => `apiVersion: tocsin/v1
name: c
on: { call: true }
inputs: { given: ${declared} }
steps: [{ id: s, set: { x: "\${{ inputs.given }}" } }]
outputs: { back: "\${{ steps.s.output.x }}", fine: ok }
`
    const call = `  - { id: c, call: c, with: { given: "${pin}" } }\n`
    const marked = { c: callee('{ type: string, sensitive: true }') }
    expect(errors(call, marked)).to.deep.equal([])
    expect(errors(call, { c: callee('{ type: string }') })).to.deep.equal(['E315'])
    const say = (field: string) =>
      errors(`${call}  - { uses: case.comment, with: { text: "\${{ steps.c.output.${field} }}" } }\n`, marked)
    expect([say('back'), say('fine')]).to.deep.equal([['E315'], []])
  })

  it('make the content of an alert sensitive if some of its data is', () => {
    const text = (expression: string) =>
      parsePlaybook(
        `apiVersion: tocsin/v1
name: p
on: { alert: { type: t } }
alert: { type: object, required: [pin, open], properties: { pin: { type: string, x-sensitive: true }, open: { type: string } } }
steps: [{ uses: case.comment, with: { text: "\${{ ${expression} }}" } }]
`,
        { catalogue },
      ).problems.map(({ code }) => code)
    expect(text('alert.data.pin')).to.include('E315')
    expect(text('alert.content')).to.include('E315')
    expect(text('json(alert)')).to.include('E315')
    expect(text('alert.data.open + alert.type')).to.deep.equal([])
  })

  it('may include vendor messages, which contain no credentials', () => {
    const incidents = '  - { id: i, uses: threat_platform.fetch_incidents, with: {} }\n'
    expect(say('"Severity is Medium"', incidents)).to.deep.equal([])
    const first = 'steps.i.output.incidents[0]'
    expect(say(`${first}.id + json(${first}.status) + json(${first}.raw.x)`, incidents)).to.deep.equal([])
    expect(say(`json(${first}.raw.?content.orValue({}))`, incidents)).to.deep.equal(['E315'])
  })
})

describe('masks', () => {
  const secret = { type: 'string', 'x-sensitive': true } as const

  it('hide only values that a schema marks, at any depth', () => {
    const schema: JsonSchema = {
      type: 'object',
      properties: {
        open: { type: 'string' },
        list: {
          type: 'array',
          items: { anyOf: [{ type: 'object', properties: { pin: secret } }, { type: 'null' }] },
        },
        ref: { $ref: '#/$defs/pin' },
        all: {
          allOf: [{ type: 'object', properties: { a: secret } }, { properties: { a: { minLength: 1 } } }],
        },
      },
      additionalProperties: { type: 'object', properties: { k: secret, o: { type: 'string' } } },
      $defs: { pin: secret },
    }
    const value = {
      open: 'x',
      list: [{ pin: 'x', other: 'x' }, null],
      ref: 'x',
      all: { a: 'x', b: 'x' },
      'x/y~z': { k: 1, o: 'x' },
      __proto__: 1,
    }
    expect(hide(maskOfSchema(schema), value)).to.deep.equal({
      open: 'x',
      list: [{ pin: '[redacted]', other: 'x' }, null],
      ref: '[redacted]',
      all: { a: '[redacted]', b: 'x' },
      'x/y~z': { k: '[redacted]', o: 'x' },
    })
  })

  it('hide all of a recursive type with a marked part', () => {
    const node: JsonSchema = {
      type: 'object',
      properties: { pin: secret, open: { type: 'string' }, child: { $ref: '#' } },
    }
    const shown = hide(maskOfSchema(node), { open: 'x', pin: 'y', child: { open: 'x', child: { pin: 'y' } } })
    expect(JSON.stringify(shown)).to.not.include('y')
    expect(shown).to.include({ open: 'x' })
  })

  it('of a union hide the marked parts of all members', () => {
    const type = union([
      object({ a: sensitive(string), b: string }),
      object({ a: string, b: sensitive(string) }),
    ])
    expect(hide(maskOfType(type), { a: 'x', b: 'y', c: 'z' })).to.deep.equal({
      a: '[redacted]',
      b: '[redacted]',
      c: 'z',
    })
  })

  it('of an input cover marked parts and parts that accept sensitive values', () => {
    const input: JsonSchema = {
      type: 'object',
      properties: { a: { type: 'string', 'x-accepts-sensitive': true }, b: secret, c: { type: 'string' } },
    }
    expect(acceptedBy(input)).to.deep.equal({ fields: { a: true, b: true } })
    expect(maskOfSchema(input)).to.deep.equal({ fields: { b: true } })
  })
})
