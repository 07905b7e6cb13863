import { expect } from 'chai'
import { ValidationError } from '../../core/errors/errors.ts'
import type { JsonSchema } from '../../core/plugin/index.ts'
import { compileSchema, validate } from '../../core/schema/index.ts'
import { limitHere, processorTime } from '../support/processor-time.ts'

function problems(schema: JsonSchema, value: unknown): readonly string[] {
  return compileSchema(schema)
    .problems(value)
    .map(({ pointer, message }) => `${pointer}: ${message}`)
}

describe('validate', () => {
  const indicator: JsonSchema = {
    type: 'object',
    required: ['kind', 'value'],
    additionalProperties: false,
    properties: {
      kind: { enum: ['ip', 'domain'] },
      value: { type: 'string', minLength: 1 },
      food: { type: ['integer', 'null'], minimum: 0 },
    },
  }

  it('lists all problems with their positions', () => {
    expect(problems(indicator, { kind: 'host', foo: 1, food: 'x' })).to.have.members([
      '/value: is missing',
      "/foo: unknown field 'foo', did you mean 'food'?",
      '/kind: must be one of ip, domain',
      '/food: must be a whole number or null',
    ])
  })

  it('throws one ValidationError with the subject and pointers', () => {
    const call = (): void =>
      validate(compileSchema(indicator), { kind: 'ip', value: '' }, 'input of http.get')
    expect(call).to.throw(ValidationError, 'input of http.get is not valid: /value must not be empty')
    try {
      call()
    } catch (error) {
      expect((error as ValidationError).code).to.equal('value_invalid')
      expect((error as ValidationError).errors).to.deep.equal([
        { pointer: '/value', message: 'must not be empty' },
      ])
    }
  })

  it('explains a pattern in the words of its author, at any depth', () => {
    const patternErrorMessage = 'must begin with xoxb-'
    const token: JsonSchema = {
      type: 'string',
      pattern: '^xoxb-',
      patternErrorMessage,
      description: 'A token.',
    }
    const schema: JsonSchema = {
      $defs: { 'a/token': token },
      type: 'object',
      properties: {
        plain: token,
        listed: { type: 'array', items: token },
        referred: { $ref: '#/$defs/a~1token' },
        chosen: { anyOf: [{ type: 'null' }, token] },
        described: { type: 'string', pattern: '^[a-z]+$', description: 'Lower-case letters.' },
        bare: { type: 'string', pattern: '^[a-z]+$' },
        refused: { type: 'string', not: { pattern: '[*]', patternErrorMessage: 'must not contain *' } },
      },
    }
    const value = {
      plain: '',
      listed: [''],
      referred: '',
      chosen: '',
      described: '7',
      bare: '7',
      refused: '*',
    }
    expect(problems(schema, value)).to.have.members([
      '/plain: must begin with xoxb-',
      '/listed/0: must begin with xoxb-',
      '/referred: must begin with xoxb-',
      '/chosen: must begin with xoxb-',
      '/described: does not have the right form: Lower-case letters.',
      '/bare: must match the pattern ^[a-z]+$',
      '/refused: must not contain *',
    ])
  })

  it('reports an invalid format once', () => {
    const address: JsonSchema = {
      type: 'string',
      minLength: 1,
      format: 'uri',
      pattern: '^https://',
      patternErrorMessage: 'must begin with https://',
    }
    const schema: JsonSchema = { type: 'object', properties: { a: address, b: address, c: address } }
    const value = { a: '', b: 'no address', c: 'https://not an address' }
    expect(problems(schema, value)).to.have.members([
      '/a: must not be empty',
      '/b: must begin with https://',
      '/c: must be in the format uri',
    ])
  })

  it('never quotes a value', () => {
    const schema: JsonSchema = {
      type: 'object',
      additionalProperties: false,
      properties: {
        key: { type: 'string', pattern: '^[0-9a-f]{32}$', 'x-secret': true },
        other: { enum: ['a'] },
        number: { type: 'integer', maximum: 3 },
      },
    }
    const text = problems(schema, { key: 'canary-key', other: 'canary-other', number: 987654 }).join()
    expect(text).to.include('/key').and.include('/other').and.include('/number')
    expect(text).not.to.match(/canary|987654/)
  })

  it('shows the most similar branch, or a summary', () => {
    const schema: JsonSchema = {
      anyOf: [{ type: 'null' }, { type: 'object', required: ['id'], properties: { id: { type: 'string' } } }],
    }
    expect(problems(schema, { id: 1 })).to.deep.equal(['/id: must be a string'])
    expect(problems(schema, 7)).to.deep.equal([': fits none of the allowed forms'])
  })

  it('follows $defs', () => {
    const schema: JsonSchema = {
      $defs: { name: { type: 'string' } },
      type: 'array',
      items: { $ref: '#/$defs/name' },
    }
    expect(problems(schema, ['a', 2])).to.deep.equal(['/1: must be a string'])
  })

  it('treats `__proto__` and `constructor` as ordinary fields', () => {
    const value: unknown = JSON.parse('{"kind":"ip","value":"x","__proto__":{"food":"x"},"constructor":1}')
    expect(problems(indicator, value)).to.deep.equal([
      "/__proto__: unknown field '__proto__'",
      "/constructor: unknown field 'constructor'",
    ])
  })

  it('ignores inherited properties', () => {
    const schema: JsonSchema = {
      type: 'object',
      required: ['valueOf', 'kind'],
      properties: Object.fromEntries(['valueOf', 'kind'].map((name) => [name, { type: 'string' } as const])),
    }
    expect(problems(schema, Object.create({ kind: 'ip' }))).to.have.members([
      '/valueOf: is missing',
      '/kind: is missing',
    ])
  })

  it('bounds the list of problems', () => {
    const list = problems(
      { type: 'array', items: { type: 'string' } },
      Array.from({ length: 500 }, (_, at) => at),
    )
    expect(list).to.have.length(21)
    expect(list.at(-1)).to.equal(': and 480 more problems')
  })

  it('shortens the names of unknown fields', () => {
    const [only] = problems({ type: 'object', additionalProperties: false }, { ['x'.repeat(10_000)]: 1 })
    expect(only?.length).to.be.below(200)
  })

  it('stops at the first problem of a very large value', () => {
    const large = Array.from({ length: 200_000 }, (_, at) => at)
    expect(problems({ type: 'array', items: { type: 'string' } }, large)).to.deep.equal([
      '/0: must be a string',
    ])
  })

  it('accepts an integer beyond 2^53', () => {
    const schema: JsonSchema = {
      type: 'object',
      properties: { id: { type: 'integer' }, name: { type: 'string' } },
    }
    expect(problems(schema, { id: 9007199254740993n })).to.deep.equal([])
    expect(problems(schema, { name: 9007199254740993n })).to.deep.equal(['/name: must be a string'])
  })

  it('does not change the value', () => {
    const value = Object.freeze({ kind: 'ip', value: 'x' })
    const schema: JsonSchema = {
      ...indicator,
      properties: { ...indicator.properties, food: { type: 'integer', default: 3 } },
    }
    expect(problems(schema, value)).to.deep.equal([])
    expect(value).to.deep.equal({ kind: 'ip', value: 'x' })
  })

  it('runs patterns in linear time', () => {
    const started = processorTime()
    expect(problems({ type: 'string', pattern: '^(a+)+$' }, `${'a'.repeat(20_000)}!`)).to.have.length(1)
    expect(processorTime() - started).to.be.below(limitHere(1_000))
  })

  it('checks formats in linear time', () => {
    const started = processorTime()
    for (const format of [
      'date',
      'time',
      'date-time',
      'duration',
      'email',
      'hostname',
      'ipv4',
      'ipv6',
      'ip',
      'uri',
      'uuid',
      'json-pointer',
    ]) {
      for (const text of ['a', '1', '/', 'a.', '-', ':', '%41', 'a@a.', '1:', 'P1']) {
        problems({ type: 'string', format }, text.repeat(50_000))
        problems({ type: 'string', format }, `http://a@${text.repeat(50_000)} `)
      }
    }
    expect(processorTime() - started).to.be.below(limitHere(3_000))
  })
})
