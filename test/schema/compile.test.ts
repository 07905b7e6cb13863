import { expect } from 'chai'
import { ValidationError } from '../../core/errors/errors.ts'
import type { JsonSchema } from '../../core/plugin/index.ts'
import { compileSchema } from '../../core/schema/index.ts'

function refusal(schema: unknown): string {
  try {
    compileSchema(schema as JsonSchema)
  } catch (error) {
    expect(error).to.be.instanceOf(ValidationError)
    expect((error as ValidationError).code).to.equal('schema_invalid')
    return (error as ValidationError).message
  }
  return 'accepted'
}

describe('compileSchema', () => {
  it('caches by content', () => {
    const make = (): JsonSchema => ({ type: 'object', properties: { a: { type: 'string' } } })
    expect(compileSchema(make())).to.equal(compileSchema(make()))
  })

  it('accepts two schemas with the same $id', () => {
    expect(compileSchema({ $id: 'same', type: 'string' }).problems(1)).to.have.length(1)
    expect(compileSchema({ $id: 'same', type: 'number' }).problems(1)).to.have.length(0)
  })

  it('names each unsupported keyword with its position', () => {
    expect(refusal({ type: 'object', properties: { a: { typ: 'string' } }, patternProperties: {} })).to.equal(
      "the schema cannot be used: /properties/a/typ unknown keyword 'typ'; /patternProperties unknown keyword 'patternProperties'",
    )
  })

  for (const [what, schema] of Object.entries<unknown>({
    'a reference to elsewhere': { $ref: 'https://example.com/schema' },
    'a reference that leads nowhere': { $ref: '#/$defs/none' },
    'an unknown type': { type: 'text' },
    'an unknown format': { type: 'string', format: 'regex' },
    'a pattern that needs backtracking': { type: 'string', pattern: '(?=a)b' },
    'a broken pattern': { type: 'string', pattern: '(' },
    'unique items that are objects': { type: 'array', uniqueItems: true, items: { type: 'object' } },
    'an enum of objects': { enum: [{ a: 1 }] },
    'a required field that is not declared': {
      type: 'object',
      required: ['kimd'],
      properties: { kind: { type: 'string' } },
    },
    'a property named __proto__': JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"string"}}}',
    ),
    'something that is no schema': 'string',
    'a negative limit': { type: 'string', minLength: -1 },
  })) {
    it(`refuses ${what}`, () => expect(refusal(schema)).to.match(/^the schema cannot be used: /))
  }

  it('refuses an endlessly nested schema', () => {
    let schema: JsonSchema = { type: 'string' }
    for (let depth = 0; depth < 60; depth++) schema = { type: 'array', items: schema }
    expect(refusal(schema)).to.include('nested deeper than 50')
  })
})
