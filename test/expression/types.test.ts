import { expect } from 'chai'
import {
  admitsNull,
  describeType,
  double,
  dyn,
  enumeration,
  explainMismatch,
  int,
  integer,
  list,
  map,
  nullable,
  number,
  object,
  optional,
  string,
  timestamp,
  typeOfSchema,
  union,
  withoutNull,
} from '../../core/expression/index.ts'

describe('typeOfSchema', () => {
  it('knows the basic types, enumerations and null', () => {
    expect(describeType(typeOfSchema({ type: 'string' }))).to.equal('string')
    expect(describeType(typeOfSchema({ type: 'integer' }))).to.equal('integer')
    expect(describeType(typeOfSchema({ enum: ['a', 'b'] }))).to.equal('one of a, b')
    expect(describeType(typeOfSchema({ enum: ['a', null] }))).to.equal('"a" or null')
    expect(describeType(typeOfSchema({ type: ['string', 'null'] }))).to.equal('string or null')
    expect(describeType(typeOfSchema({ type: 'array', items: { type: 'number' } }))).to.equal('list(number)')
    expect(typeOfSchema({})).to.equal(dyn)
  })

  it('knows which fields may be missing, and whether others are allowed', () => {
    const type = typeOfSchema({
      type: 'object',
      required: ['a'],
      properties: { a: { type: 'string' }, b: {} },
    })
    expect(
      type.kind === 'object' && [...type.properties].map(([name, each]) => [name, each.optional]),
    ).to.deep.equal([
      ['a', false],
      ['b', true],
    ])
    expect(type.kind === 'object' && type.additional).to.equal(undefined)
    const open = typeOfSchema({ type: 'object', additionalProperties: true, properties: { a: {} } })
    expect(open.kind === 'object' && open.additional).to.equal(dyn)
    expect(typeOfSchema({ type: 'object', additionalProperties: { type: 'number' } }).kind).to.equal('map')
  })

  it('follows references, also recursive ones', () => {
    const tree = typeOfSchema({
      $ref: '#/$defs/node',
      $defs: { node: { type: 'object', required: ['next'], properties: { next: { $ref: '#/$defs/node' } } } },
    })
    expect(tree.kind).to.equal('object')
    expect(typeOfSchema({ $ref: '#/$defs/none' })).to.equal(dyn)
    expect(typeOfSchema({ $ref: '#' })).to.equal(dyn)
  })

  it('merges allOf, and keeps the choices of anyOf', () => {
    const all = typeOfSchema({
      type: 'object',
      properties: { a: { type: 'string' } },
      allOf: [{ properties: { b: { type: 'number' } }, required: ['b'] }],
    })
    expect(all.kind === 'object' && [...all.properties.keys()]).to.deep.equal(['a', 'b'])
    expect(describeType(typeOfSchema({ anyOf: [{ type: 'string' }, { type: 'number' }] }))).to.equal(
      'string or number',
    )
  })
})

describe('union', () => {
  it('merges equal types, and is dyn if one of its types is', () => {
    expect(describeType(union([int, double, int]))).to.equal('number')
    expect(describeType(union([int, integer]))).to.equal('integer')
    expect(describeType(union([enumeration(['a']), enumeration(['b'])]))).to.equal('one of a, b')
    expect(describeType(union([list(string), list(number)]))).to.equal('list(string or number)')
    expect(describeType(union([map(string), map(number)]))).to.equal('map')
    expect(union([string, dyn])).to.equal(dyn)
  })

  it('knows null, and can leave it out', () => {
    expect(admitsNull(nullable(string))).to.equal(true)
    expect(admitsNull(dyn)).to.equal(false)
    expect(withoutNull(nullable(string))).to.equal(string)
  })
})

describe('explainMismatch', () => {
  it('accepts matching values', () => {
    expect(explainMismatch(integer, number)).to.equal(undefined)
    expect(explainMismatch(enumeration(['a']), string)).to.equal(undefined)
    expect(explainMismatch(timestamp, string)).to.equal(undefined)
    expect(explainMismatch(dyn, list(string))).to.equal(undefined)
    expect(explainMismatch(string, nullable(string))).to.equal(undefined)
  })

  it('names the path and the reason of a mismatch', () => {
    expect(explainMismatch(string, number)).to.equal('expected number, found string')
    expect(explainMismatch(number, integer)).to.equal('expected integer, found number')
    expect(explainMismatch(nullable(string), string)).to.equal('expected string, found null')
    expect(explainMismatch(enumeration(['c']), enumeration(['a', 'b']))).to.equal("'c' is not one of a, b")
    expect(explainMismatch(object({ a: optional(string) }), object({ a: string }))).to.equal(
      'a may be missing',
    )
    expect(explainMismatch(object({}), object({ a: string }))).to.equal('a is missing')
    expect(explainMismatch(object({ b: string }), object({}))).to.equal('b is not a known field')
    const nested = [
      object({ a: list(object({ b: string })) }),
      object({ a: list(object({ b: number })) }),
    ] as const
    expect(explainMismatch(...nested)).to.equal('a[].b: expected number, found string')
  })
})
