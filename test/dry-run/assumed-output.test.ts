import { expect } from 'chai'
import fc from 'fast-check'
import { assumedOutput, sampleFromSchema, unknownText } from '../../core/dry-run/assumed-output.ts'
import type { JsonSchema } from '../../core/plugin/index.ts'
import { compileSchema } from '../../core/schema/index.ts'
import { catalogue } from '../playbook-test/support.ts'
import { tries } from '../support/random.ts'

const skill = (name: string) => catalogue.skill(name)!.skill

describe('the assumed output of a dry run', () => {
  it('is the output of the first example', () => {
    expect(assumedOutput(skill('people.post'), { text: 'x' })).to.deep.equal({
      output: { id: 'm-1' },
      from: 'example',
    })
  })

  it('is generated from the schema without an example', () => {
    expect(assumedOutput(skill('people.isolate'), {})).to.deep.equal({
      output: { id: unknownText, state: 'isolated' },
      from: 'schema',
    })
  })

  it('copies fields that input and output share', () => {
    const { output } = assumedOutput(skill('people.isolate'), { id: 'm-7', state: 'nonsense' })
    expect(output).to.deep.equal({ id: unknownText, state: 'isolated' })
    expect(assumedOutput(skill('people.isolate'), { id: 'm-7' }).output).to.deep.equal({
      id: 'm-7',
      state: 'isolated',
    })
  })

  const leaf = fc.oneof<fc.Arbitrary<JsonSchema>[]>(
    fc.constant({ type: 'string' }),
    fc.constant({ type: ['string', 'null'] }),
    fc.constant({ enum: ['a', 'b'] }),
    fc.constant({ const: 7 }),
    fc.constant({ type: 'boolean' }),
    fc.constant({ type: 'integer', default: 3 }),
    fc.integer({ min: -5, max: 5 }).map((minimum) => ({ type: 'integer', minimum })),
    fc.integer({ min: -5, max: 5 }).map((maximum) => ({ type: 'number', maximum })),
    fc.integer({ min: -5, max: 5 }).map((exclusiveMinimum) => ({ type: 'integer', exclusiveMinimum })),
  )
  const { schema } = fc.letrec<{ schema: JsonSchema }>((tie) => ({
    schema: fc.oneof(
      { maxDepth: 4 },
      leaf,
      fc.record({ items: tie('schema'), minItems: fc.integer({ min: 0, max: 3 }) }).map((rest) => ({
        type: 'array' as const,
        ...rest,
      })),
      fc.dictionary(fc.stringMatching(/^[a-z]{1,4}$/), tie('schema')).map((properties) => ({
        type: 'object' as const,
        properties,
        required: Object.keys(properties).slice(0, 2),
        additionalProperties: false,
      })),
      tie('schema').map((inner) => ({ anyOf: [inner, { type: 'null' as const }] })),
    ),
  }))

  it('matches its schema', () => {
    fc.assert(
      fc.property(schema, (each) => {
        expect(compileSchema(each).problems(sampleFromSchema(each))).to.deep.equal([])
      }),
      tries(100),
    )
  })

  it('is finite for a recursive schema', () => {
    const self: JsonSchema = {
      $ref: '#/$defs/node',
      $defs: { node: { type: 'object', required: ['next'], properties: { next: { $ref: '#/$defs/node' } } } },
    }
    expect(JSON.stringify(sampleFromSchema(self)).length).to.be.lessThan(1_000)
  })
})
