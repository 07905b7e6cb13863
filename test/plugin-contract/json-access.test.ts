import { expect } from 'chai'
import { countAt, isObject, numberAt, objectsAt, textAt, valueAt } from '../../core/plugin/index.ts'

describe('accessors for untrusted JSON', () => {
  it('distinguish an object from other values', () => {
    expect([{}, { a: 1 }].map(isObject)).to.deep.equal([true, true])
    expect([null, [], 'a', 1, undefined].some(isObject)).to.equal(false)
  })

  it('see own fields only', () => {
    expect(valueAt({ a: 1 }, 'a')).to.equal(1)
    expect(valueAt({}, 'constructor')).to.equal(undefined)
    expect(valueAt(JSON.parse('{"__proto__":{"a":1}}'), '__proto__')).to.deep.equal({ a: 1 })
    for (const value of [null, undefined, 'text', ['a']]) expect(valueAt(value, 'length')).to.equal(undefined)
  })

  it('return null for values of another type', () => {
    expect(textAt({ a: 'x' }, 'a')).to.equal('x')
    expect([{ a: '' }, { a: 1 }, { a: null }, null].map((value) => textAt(value, 'a'))).to.deep.equal([
      null,
      null,
      null,
      null,
    ])
    expect(numberAt({ a: 0 }, 'a')).to.equal(0)
    expect(numberAt({ a: '1' }, 'a')).to.equal(null)
  })

  it('return counts, also from text', () => {
    expect(['4', ' 12 ', 4, 0, '0'].map((a) => countAt({ a }, 'a'))).to.deep.equal([4, 12, 4, 0, 0])
    for (const a of ['', ' ', '4.5', '-1', -1, 4.5, '1e3', '9'.repeat(20), null, [], true])
      expect(countAt({ a }, 'a'), String(a)).to.equal(null)
  })

  it('return the objects of a list', () => {
    expect(objectsAt({ a: [{ b: 1 }, null, 'x', [1]] }, 'a')).to.deep.equal([{ b: 1 }])
    expect(objectsAt({ a: { b: 1 } }, 'a')).to.deep.equal([])
  })
})
