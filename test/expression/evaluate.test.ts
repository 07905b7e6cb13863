import { expect } from 'chai'
import * as fc from 'fast-check'
import {
  Budget,
  compileExpression,
  dyn,
  duration,
  object,
  optional,
  timestamp,
  toJsonValue,
  typeOfSchema,
} from '../../core/expression/index.ts'
import { parseJson } from '../../core/common/json.ts'
import { limitHere, processorTime } from '../support/processor-time.ts'
import { tries } from '../support/random.ts'
import { evaluate, failure } from './evaluated.ts'

describe('evaluating expressions', () => {
  describe('missing fields', () => {
    it('names the path and the position', () => {
      expect(failure('1 + alert.data.user.email', { alert: { data: {} } })).to.deep.equal({
        code: 'expression_missing_field',
        message: 'alert.data.user is missing',
        hint: 'guard it with has(alert.data.user), or give a default: alert.data.?user.orValue(…)',
        at: 'alert.data.user',
      })
    })

    it('distinguishes null from missing', () => {
      const scope = { x: { a: null } }
      expect(
        evaluate('[has(x.a), has(x.b), x.a == null, x.?a.hasValue(), x.?b.hasValue()]', scope),
      ).to.deep.equal([true, false, true, true, false])
      expect(failure('x.a.b', scope)).to.include({
        code: 'expression_wrong_type',
        hint: 'check x.a != null first',
      })
      expect(evaluate('x.?a.orValue("default")', scope)).to.equal(null)
    })

    it('treats undefined in the scope as missing', () => {
      expect(evaluate('has(x.a)', { x: { a: undefined } })).to.equal(false)
      expect(failure('x', { x: undefined })).to.include({ code: 'expression_unknown_name' })
    })

    it('is ignored if the other side decides', () => {
      expect(evaluate('x.a > 1 || true', { x: {} })).to.equal(true)
      expect(evaluate('false && x.a > 1', { x: {} })).to.equal(false)
      expect(failure('x.a > 1 || false', { x: {} })).to.include({ code: 'expression_missing_field' })
      expect(evaluate('[1, 0].exists(i, 1 / i > 0)')).to.equal(true)
    })

    it('names missing keys', () => {
      expect(failure('x["a b"]', { x: {} })).to.include({
        message: 'x["a b"] is missing',
        hint: 'guard it with "a b" in x, or give a default: x[?"a b"].orValue(…)',
      })
    })

    it('names lists that are too short', () => {
      expect(failure('x.l[2]', { x: { l: [1] } })).to.include({
        code: 'expression_index_out_of_range',
        message: 'x.l has 1 elements, none at 2',
        at: 'x.l[2]',
      })
      expect(evaluate('x[?2].orValue(0) + x[?0].orValue(0)', { x: [7] })).to.equal(7)
    })
  })

  describe('searching text', () => {
    const search = (expression: string, scope: Record<string, unknown>) => evaluate(expression, scope)

    it('finds the same in long text as in short text', () => {
      for (const part of ['ab', 'abab', 'aab', 'abcab', 'aa', 'zz', 'b']) {
        for (const short of ['abababcababaab', 'aaaaaab', 'baabaabab', '']) {
          for (const padding of ['', '-'.repeat(70_000)]) {
            const x = `${padding}${short}`
            const scope = { x, part }
            expect(search('x.indexOf(part)', scope)).to.equal(x.indexOf(part))
            expect(search('x.contains(part)', scope)).to.equal(x.includes(part))
            expect(search('x.split(part)', scope)).to.deep.equal(x.split(part))
            expect(search('x.replace(part, "+")', scope)).to.equal(x.replaceAll(part, '+'))
          }
        }
      }
    })

    it('is linear for any part, at twice the cost of reading', () => {
      const x = 'x'.repeat(1_000_000)
      const { program } = compileExpression('x.contains(part)', { x: dyn, part: dyn })
      for (const part of ['xy', `y${'x'.repeat(100_000)}`, `${'x'.repeat(100_000)}y`]) {
        const budget = new Budget()
        const before = processorTime()
        expect(program?.evaluate({ x, part }, budget)).to.equal(false)
        expect(processorTime() - before).to.be.lessThan(limitHere(2000))
        expect(new Budget().fuel - budget.fuel).to.be.greaterThan(7800)
      }
    })
  })

  describe('numbers', () => {
    it('mixes ints and doubles', () => {
      expect(evaluate('x / 2', { x: 3 })).to.equal(1.5)
      expect(evaluate('3 / 2')).to.equal(1)
      expect(evaluate('x % 2 == 1 && x + 1 == 4 && x in [3]', { x: 3 })).to.equal(true)
      expect(evaluate('x[y]', { x: ['a', 'b'], y: 1 })).to.equal('b')
    })

    it('may be map keys if whole', () => {
      expect(evaluate('{x: "a"}[x]', { x: 3 })).to.equal('a')
      expect(evaluate('{x: "a"}[3] + {3: "b"}[x]', { x: 3 })).to.equal('ab')
      expect(evaluate('{x: "a", x + 1: "b"}', { x: 3 })).to.deep.equal({ 3: 'a', 4: 'b' })
      expect(failure('{x: "a", 3: "b"}', { x: 3 })).to.include({ code: 'expression_duplicate_key' })
      expect(failure('{x: "a"}', { x: 0.5 })).to.include({ code: 'expression_wrong_type' })
    })

    it('keeps every digit of large integers in data', () => {
      const x = parseJson('{"id": 9007199254740993}')
      expect(evaluate('x.id', { x })).to.equal(9007199254740993n)
      expect(evaluate('x.id == 9007199254740993 && x.id != 9007199254740992', { x })).to.equal(true)
      expect(evaluate('string(x.id + 1)', { x })).to.equal('9007199254740994')
    })

    it('never wraps around', () => {
      expect(failure('timestamp(x)', { x: 1.7e12 })).to.include({ code: 'expression_overflow' })
      expect(failure('timestamp(x)', { x: 1.7e12 }).hint).to.include('divide milliseconds by 1000')
      expect(failure('9223372036854775807 + x', { x: parseJson('9007199254740993') })).to.include({
        code: 'expression_overflow',
      })
      expect(failure('x % 0.5', { x: 1 })).to.include({ code: 'expression_wrong_type' })
    })
  })

  it('keeps the sign of zero in every format', () => {
    const cases = {
      '"%f".format([x])': '-0.000000',
      '"%.0f".format([x])': '-0',
      '"%.2f".format([-0.001])': '-0.00',
      '"%e".format([x])': '-0.000000e+00',
      '"%s %d".format([x, x])': '-0 -0',
      'string(x)': '-0',
      '"%.1f".format([-x])': '0.0',
    }
    for (const [source, value] of Object.entries(cases))
      expect(evaluate(source, { x: -0 }), source).to.equal(value)
  })

  describe('times', () => {
    it('are made from seconds with the precision of a double', () => {
      const cases = {
        'timestamp(x / 1000)': '2026-01-01T00:00:00.123Z',
        'timestamp(x / 1000) == timestamp("2026-01-01T00:00:00.123Z")': true,
        'timestamp(x / 1000).getMilliseconds()': 123,
        'timestamp(1767225600.123456)': '2026-01-01T00:00:00.123456Z',
        'timestamp(1767225599.9999999)': '2026-01-01T00:00:00Z',
        'timestamp(1.9999999999)': '1970-01-01T00:00:02Z',
        'timestamp(-0.001)': '1969-12-31T23:59:59.999Z',
        'timestamp(9876543210.123)': '2282-12-22T20:13:30.123Z',
        'timestamp(0.000000001)': '1970-01-01T00:00:00.000000001Z',
        'duration(1.9999999999)': '2s',
        'duration(-1.9999999999)': '-2s',
        'duration(-0.5)': '-0.5s',
        'duration(0.1 + 0.2)': '0.3s',
        'duration(1767225600.123)': '1767225600.123s',
      }
      for (const [source, value] of Object.entries(cases))
        expect(evaluate(source, { x: 1767225600123 }), source).to.equal(value)
    })

    it('keep every millisecond of the years in which alerts are created', () => {
      const stamp = compileExpression('timestamp(x / 1000)', { x: dyn }).program!
      fc.assert(
        fc.property(fc.integer({ min: 0, max: 4_102_444_800_000 }), (x) => {
          const text = String(toJsonValue(stamp.evaluate({ x })))
          expect(Date.parse(text)).to.equal(x)
          expect(text.length, text).to.be.at.most(24)
        }),
        tries(500),
      )
    })

    it('converts names declared as times', () => {
      const names = { now: timestamp, within: duration, step: object({ at: optional(timestamp) }) }
      const scope = { now: '2026-03-01T08:00:00Z', within: '90s', step: { at: '2026-03-01T07:00:00Z' } }
      expect(evaluate('now + within', scope, names)).to.equal('2026-03-01T08:01:30Z')
      expect(evaluate('now - step.?at.orValue(now)', scope, names)).to.equal('3600s')
    })

    it('converts strings compared with a time', () => {
      const names = { now: timestamp, x: typeOfSchema({ type: 'string', format: 'date-time' }) }
      const scope = { now: '2026-03-01T08:00:00Z', x: '2026-03-01T09:30:00+01:00' }
      expect(evaluate('now - x > duration("0s") || x > now', scope, names)).to.equal(true)
      expect(evaluate('x.startsWith("2026")', scope, names)).to.equal(true)
      expect(evaluate('x', scope, names)).to.equal('2026-03-01T09:30:00+01:00')
      expect(evaluate('x.getHours()', scope, names)).to.equal(8)
    })

    it('reads readable and ISO 8601 durations', () => {
      const read = ['1h30m', '-1.5h', '2d', 'PT5M', 'P1DT0.5S', 'P2W'].map((x) =>
        evaluate('duration(x)', { x }),
      )
      expect(read).to.deep.equal(['5400s', '-5400s', '172800s', '300s', '86400.5s', '1209600s'])
      for (const x of ['', 'P', 'PT', 'P1DT', 'P1M', 'P1Y', '5', '1h 30m', 'h', '--1s', '1e3s']) {
        expect(failure('duration(x)', { x }), x).to.include({ code: 'expression_invalid_argument' })
      }
    })
  })

  it('percent-encodes for URLs, as function and method', () => {
    for (const source of ['x.urlEncode()', 'urlEncode(x)']) {
      expect(evaluate(source, { x: '' })).to.equal('')
      expect(evaluate(source, { x: "a/b?c#d&e=f;g+h%2e i!'()*~-._" })).to.equal(
        'a%2Fb%3Fc%23d%26e%3Df%3Bg%2Bh%252e%20i%21%27%28%29%2A~-._',
      )
      expect(evaluate(source, { x: 'ü😀\ud800\n' })).to.equal('%C3%BC%F0%9F%98%80%EF%BF%BD%0A')
      expect(failure(source, { x: 7 }).code).to.equal('expression_wrong_type')
    }
    expect(failure('x.urlEncode()', { x: 'ü'.repeat(2_000_000) }).code).to.match(/exhausted/)
  })

  it('refuses base64 that was cut off', () => {
    for (const x of ['a', 'aGVsb', 'aGVsbA==='])
      expect(failure('base64Decode(x)', { x }).message, x).to.equal(`'${x}' is not base64`)
    expect(evaluate('base64Decode(x)', { x: 'aGVsbG8' })).to.equal('hello')
    expect(evaluate('base64Decode(x)', { x: '' })).to.equal('')
  })

  it('names the origin of a number that JSON does not have', () => {
    expect(failure('x', { x: parseJson('1e400') }).hint).to.match(/a number beyond 1\.8e308 in the data$/)
  })
})
