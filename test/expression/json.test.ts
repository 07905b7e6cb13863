import { expect } from 'chai'
import * as fc from 'fast-check'
import { parseJson, stringifyJson } from '../../core/common/json.ts'
import { tries } from '../support/random.ts'

const codeOf = (run: () => unknown): unknown => {
  try {
    return run()
  } catch (error) {
    return (error as { code?: string }).code
  }
}

describe('lossless JSON', () => {
  it('keeps integers beyond 2^53', () => {
    const text = '{"id":9007199254740993,"list":[-123456789012345678901234567890,1,1.5]}'
    expect(parseJson(text)).to.deep.equal({
      id: 9007199254740993n,
      list: [-123456789012345678901234567890n, 1, 1.5],
    })
    expect(stringifyJson(parseJson(text))).to.equal(text)
  })

  it('leaves other numbers to doubles', () => {
    expect(parseJson('[9007199254740991, 1e30, 1234567890123456789.5]')).to.deep.equal([
      2 ** 53 - 1,
      1e30,
      Number('1234567890123456789.5'),
    ])
  })

  it('reads digits inside text as text', () => {
    expect(parseJson('{"a": "9007199254740993"}')).to.deep.equal({ a: '9007199254740993' })
  })

  for (const text of ['{"a":{"__proto__":{"x":1}}}', '{"a":{"__proto__":{"x":12345678901234567890}}}']) {
    it(`keeps __proto__ as an own field of ${text}`, () => {
      const { a } = parseJson(text) as { a: object }
      expect(Object.keys(a)).to.deep.equal(['__proto__'])
      expect(Object.getPrototypeOf(a)).to.equal(Object.prototype)
      expect(({} as { x?: unknown }).x).to.equal(undefined)
      expect(stringifyJson({ a })).to.equal(text)
    })
  }

  it('refuses excessive depth before parsing, without counting brackets in text', () => {
    expect(codeOf(() => parseJson('['.repeat(101)))).to.equal('json_too_deep')
    expect(codeOf(() => parseJson('['.repeat(1_000_000)))).to.equal('json_too_deep')
    expect(parseJson(`${'['.repeat(100)}${']'.repeat(100)}`)).to.be.an('array')
    expect(parseJson(JSON.stringify('['.repeat(1000) + '\\"[{'))).to.be.a('string')
    expect(codeOf(() => parseJson('[[1]]', { maxDepth: 1 }))).to.equal('json_too_deep')
  })

  it('refuses invalid JSON', () => {
    for (const text of ['', '{', '"', '"\\"', 'undefined', '{a: 1}']) {
      expect(
        codeOf(() => parseJson(text)),
        text,
      ).to.equal('json_invalid')
    }
    expect(codeOf(() => stringifyJson(undefined))).to.equal('json_invalid')
    const circle: { self?: unknown } = {}
    circle.self = circle
    expect(codeOf(() => stringifyJson(circle))).to.equal('json_invalid')
  })

  it('reads back what it wrote', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.bigInt({ min: 2n ** 53n, max: 2n ** 90n }), (value, big) => {
        const data = { value, big }
        expect(stringifyJson(parseJson(stringifyJson(data)))).to.equal(stringifyJson(data))
      }),
      tries(200),
    )
  })
})
