import { expect } from 'chai'
import * as fc from 'fast-check'
import { parseJson } from '../../core/common/json.ts'
import { findDuplicateName } from '../../server/http/request/duplicate-name.ts'
import { findLoneSurrogate, findOddNumber, isOdd } from '../../server/http/request/json-checks.ts'
import { preferredWait } from '../../server/http/resources/alerts/prefer.ts'
import { limitHere, processorTime } from '../support/processor-time.ts'
import { tries } from '../support/random.ts'

describe('duplicate fields', () => {
  for (const [text, pointer] of [
    ['{"a":1,"a":2}', '/a'],
    ['{"a":{"b":1,"c":[{},{"d":1,"d":1}]}}', '/a/c/1/d'],
    ['[[1,2],{"x":"}","x":0}]', '/1/x'],
    ['{"a\\"b":1,"a\\u0022b":2}', '/a"b'],
    ['{"a/b":{"~":1,"~":1}}', '/a~1b/~0'],
    ['{"__proto__":1,"__proto__":2}', '/__proto__'],
    ['{"":1,"":2}', '/'],
  ] as const) {
    it(`are found in ${text}`, () => expect(findDuplicateName(text)).to.equal(pointer))
  }

  it('are not reported in valid JSON', () => {
    for (const text of [
      '{"a":{"a":{"a":"a"}},"b":["a","a"],"c":"\\\\","d":"{\\"a\\":1,\\"a\\":2}"}',
      '"a"',
      '1',
      '[]',
    ]) {
      expect(findDuplicateName(text), text).to.equal(undefined)
    }
  })

  it('are not reported in generated JSON', () => {
    fc.assert(
      fc.property(fc.json(), (text) => findDuplicateName(text) === undefined),
      tries(100),
    )
  })

  it('are found in any object with one repeated field', () => {
    const object = fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 })
    fc.assert(
      fc.property(object, fc.jsonValue(), (value, other) => {
        const [name] = Object.keys(value)
        const text = `${JSON.stringify(value).slice(0, -1)},${JSON.stringify(name)}:${JSON.stringify(other)}}`
        return findDuplicateName(text) === `/${name?.replaceAll('~', '~0').replaceAll('/', '~1')}`
      }),
      tries(100),
    )
  })

  it('are searched in invalid JSON without an error, because the parser reports it', () => {
    for (const text of ['{"\\x":1,"\\x":2}', '{"a', '{"a\\', ']]}', '{"a":[}', ',,"'])
      expect(() => findDuplicateName(text), text).not.to.throw()
  })

  it('are searched up to a depth', () => {
    expect(findDuplicateName('{"a":[[],[]],"a":0}', 3)).to.equal('/a')
    expect(() => findDuplicateName('{"a":[[],[]],"a":0}', 2)).to.throw('JSON is nested deeper than 2 levels')
  })

  it('are found in linear time', () => {
    const startedAt = processorTime()
    findDuplicateName(`{"a":"${'\\\\'.repeat(500_000)}"}`)
    findDuplicateName(`{"a":[${'"\\"",'.repeat(150_000)}1]}`)
    expect(processorTime() - startedAt).to.be.below(limitHere(1_000))
  })
})

describe('numbers that would lose precision', () => {
  for (const [text, pointer] of [
    ['{"a":[1,{"b":1e400}]}', '/a/1/b'],
    ['{"a":-1.5E+999}', '/a'],
    ['9223372036854775808', ''],
    ['[-9223372036854775809]', '/0'],
    [`{"x":${'9'.repeat(400)}}`, '/x'],
    [`{"x":${'9'.repeat(300)}.0e20}`, '/x'],
  ] as const) {
    it(`are found in ${text.slice(0, 40)}`, () => {
      expect(isOdd(parseJson(text))).to.equal(true)
      expect(findOddNumber(parseJson(text))).to.equal(pointer)
    })
  }

  it('are not reported if all numbers are exact', () => {
    for (const text of [
      '[9223372036854775807,-9223372036854775808,9007199254740993]',
      '[1e308,-1.7976931348623157e308,0.1234567890123456789,1e-7]',
      '"12345678901234567890 1e400"',
    ]) {
      expect(isOdd(parseJson(text)), text).to.equal(false)
      expect(findOddNumber(parseJson(text)), text).to.equal(undefined)
    }
  })
})

describe('lone surrogates', () => {
  it('are reported with their path', () => {
    for (const [text, pointer] of [
      ['{"a":["x","\\uD83D"]}', '/a/1'],
      ['{"a":"\\ude00\\ud83d"}', '/a'],
      ['{"a":{"\\ud800":1}}', '/a'],
      ['{"a":"\\ud83d\\ude00"}', undefined],
      ['{"a":"\\\\ud83d"}', undefined],
    ] as const) {
      expect(isOdd(JSON.parse(text)), text).to.equal(pointer !== undefined)
      expect(findLoneSurrogate(JSON.parse(text)), text).to.equal(pointer)
    }
  })
})

describe('Prefer: wait', () => {
  it('is read as seconds, at most 60', () => {
    expect(preferredWait('wait=10')).to.equal(10)
    expect(preferredWait('respond-async, WAIT = "7" ; x=y')).to.equal(7)
    expect(preferredWait('wait=999')).to.equal(60)
    expect(preferredWait('wait=0')).to.equal(0)
  })

  it('is ignored if malformed', () => {
    for (const prefer of [undefined, '', 'wait', 'wait=', 'wait=-1', 'wait=1.5', 'wait=x', 'nowait=5']) {
      expect(preferredWait(prefer), prefer).to.equal(undefined)
    }
  })
})
