import { expect } from 'chai'
import { withDefaults } from '../../core/schema/index.ts'

describe('withDefaults', () => {
  const schema = {
    type: 'object',
    properties: {
      limit: { type: 'integer', default: 10 },
      tags: { type: 'array', default: ['a'] },
      inner: { type: 'object', properties: { on: { type: 'boolean', default: true } } },
    },
  } as const

  it('fills in missing fields in a copy', () => {
    const value = Object.freeze({ inner: Object.freeze({}) })
    expect(withDefaults(schema, value)).to.deep.equal({ limit: 10, tags: ['a'], inner: { on: true } })
    expect(value).to.deep.equal({ inner: {} })
  })

  it('keeps existing values, also null and false', () => {
    const value = { limit: null, tags: [], inner: { on: false } }
    expect(withDefaults(schema, value)).to.equal(value)
  })

  it('gives each value its own copy of a default', () => {
    const [first, second] = [withDefaults(schema, {}), withDefaults(schema, {})] as { tags: unknown }[]
    expect(first?.tags).to.deep.equal(second?.tags)
    expect(first?.tags).not.to.equal(second?.tags)
  })

  it('keeps a field named __proto__ as a field', () => {
    const copy = withDefaults(schema, JSON.parse('{"__proto__": {"limit": 3}}')) as object
    expect(Object.keys(copy)).to.include('__proto__')
    expect(Object.getPrototypeOf(copy)).to.equal(Object.prototype)
  })
})
