import { expect } from 'chai'
import { counted, targetOf } from '../../core/checkpoint/target.ts'

const schema = {
  type: 'object',
  properties: { id: { type: 'string' }, comment: { type: 'string', 'x-message': true } },
} as const

describe('the target of an input', () => {
  it('is the input without texts for people, so that equal targets are counted once', () => {
    expect(targetOf(schema, { id: 'ws-1', comment: 'for case 7' })).to.equal('id: "ws-1"')
    expect(targetOf(schema, { id: 'ws-1', ids: [2, 'x'], nothing: null })).to.equal(
      'id: "ws-1", ids: [2,"x"]',
    )
  })

  it('is escaped so that no value looks like another field', () => {
    expect(targetOf(schema, { id: 'a", other: "b' })).to.equal('id: "a\\", other: \\"b"')
  })

  it('is the whole input if it is not an object', () => {
    expect([targetOf(schema, undefined), targetOf(schema, ['a'])]).to.deep.equal(['null', '["a"]'])
    expect(targetOf({}, { constructor: 1 })).to.equal('constructor: 1')
  })

  it('is counted, most frequent first', () => {
    expect(counted(['a', 'b', 'b', 'c'])).to.deep.equal([
      { text: 'b', count: 2 },
      { text: 'a', count: 1 },
      { text: 'c', count: 1 },
    ])
  })
})
