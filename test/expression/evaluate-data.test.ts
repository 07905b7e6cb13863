import { expect } from 'chai'
import { Budget, compileExpression, dyn, ExpressionError } from '../../core/expression/index.ts'
import { parseJson } from '../../core/common/json.ts'
import { evaluate, failure, text } from './evaluated.ts'

describe('evaluating expressions', () => {
  describe('hostile keys', () => {
    it('are data, for reading and for building', () => {
      const x = parseJson('{"__proto__": {"a": 1}, "constructor": 2, "toString": 3}')
      expect(evaluate('x.__proto__.a + x.constructor + x.toString', { x })).to.equal(6)
      expect(evaluate('x.map(k, k)', { x })).to.deep.equal(['__proto__', 'constructor', 'toString'])
      const made = evaluate('{"__proto__": 1}') as object
      expect(Object.keys(made)).to.deep.equal(['__proto__'])
      expect(Object.getPrototypeOf(made)).to.equal(Object.prototype)
    })

    it('are missing if the data does not have them', () => {
      expect(
        evaluate('[has(x.constructor), "toString" in x, x.?__proto__.hasValue()]', { x: {} }),
      ).to.deep.equal([false, false, false])
    })

    it('never reach anything that is not JSON', () => {
      class Wallet {
        readonly money = 1
      }
      expect(failure('x.money', { x: new Wallet() })).to.include({ code: 'expression_wrong_type' })
      expect(failure('x.getTime', { x: new Date() })).to.include({ code: 'expression_wrong_type' })
    })
  })

  describe('text', () => {
    it('counts characters, not UTF-16 units', () => {
      expect(evaluate('"a😀b".size()')).to.equal(3)
      expect(evaluate('"a😀b".substring(2)')).to.equal('b')
      expect(evaluate('"😀b".indexOf("b")')).to.equal(1)
      expect(evaluate('"a😀b".reverse()')).to.equal('b😀a')
    })

    it('orders by code point', () => {
      expect(evaluate('"\\uffff" < "😀"')).to.equal(true)
    })
  })

  describe('indicators', () => {
    const rows: readonly (readonly [string, unknown])[] = [
      ['isPrivateIp("10.1.2.3")', true],
      ['isPrivateIp("172.32.0.1")', false],
      ['isPrivateIp("::ffff:192.168.0.1")', true],
      ['isPrivateIp("fd00::1")', true],
      ['isPrivateIp("2001:4860:4860::8888")', false],
      ['cidrContains("2001:db8::/32", "2001:db8:1::1")', true],
      ['cidrContains("10.0.0.0/8", "::1")', false],
      ['cidrContains("192.168.1.128/25", "192.168.1.127")', false],
      ['domainOf("Dana <dana@Example.com>".split("<")[1].replace(">", ""))', 'example.com'],
      ['domainOf("https://user:pass@evil.example:8443/a?b=@c.d")', 'evil.example'],
      ['domainOf("http://[2001:db8::1]:80/")', '2001:db8::1'],
      ['refang(defang("http://a.b.example/x?y=dana@c.example"))', 'http://a.b.example/x?y=dana@c.example'],
      ['refang("hxxp[:]//a(.)b[dot]c")', 'http://a.b.c'],
      ['defang(defang("http://a.b"))', 'hxxp://a[.]b'],
    ]
    for (const [source, result] of rows) {
      it(`finds that ${source} is ${String(result)}`, () => {
        expect(evaluate(source)).to.equal(result)
      })
    }

    it('refuses invalid addresses', () => {
      for (const ip of ['1.2.3', '1.2.3.256', '01.2.3.4', '::1::', 'fe80::1%eth0', '', '1.2.3.4/8', ':::']) {
        expect(failure('isPrivateIp(x)', { x: ip }), ip).to.include({ code: 'expression_invalid_argument' })
      }
      expect(failure('cidrContains(x, "10.0.0.1")', { x: '10.0.0.0/33' })).to.include({
        code: 'expression_invalid_argument',
      })
    })
  })

  describe('budgets', () => {
    const { program } = compileExpression('x.all(i, i >= 0)', { x: dyn })
    const scope = { x: Array.from({ length: 1000 }, (_, at) => at) }

    it('are shared by many evaluations', () => {
      const budget = new Budget({ fuel: 2500 })
      program!.evaluate(scope, budget)
      program!.evaluate(scope, budget)
      expect(budget.fuel).to.equal(500)
      expect(() => program!.evaluate(scope, budget))
        .to.throw(ExpressionError)
        .with.property('code', 'expression_fuel_exhausted')
      expect(budget.fuel).to.equal(0)
    })

    it('are not refilled, and cost the same each time', () => {
      const { program: pattern } = compileExpression('x.matches(y)', { x: dyn, y: dyn })
      const [first, second] = [new Budget(), new Budget()]
      for (const budget of [first, second]) pattern!.evaluate({ x: 'a'.repeat(5000), y: '(b|c){50}' }, budget)
      expect(first).to.deep.equal(second)
    })

    it('cannot be saved by || or a macro', () => {
      expect(failure('x.exists(i, x.all(j, x.all(k, true)) && false) || true', scope)).to.include({
        code: 'expression_fuel_exhausted',
      })
    })
  })

  describe('results', () => {
    it('keeps data unchanged and copies only what changes', () => {
      const x = { a: [1, { b: 2 }] }
      expect(evaluate('x', { x })).to.equal(x)
      expect(evaluate('[x, 1]', { x })).to.deep.equal([x, 1])
      expect(evaluate('{1: "a", true: "b"}')).to.deep.equal({ 1: 'a', true: 'b' })
    })

    it('refuses values without a JSON form', () => {
      expect(failure('0.0 / x', { x: 0 })).to.include({ code: 'expression_wrong_type' })
      expect(failure('[optional.none()]')).to.include({ code: 'expression_wrong_type' })
    })

    it('writes scalars as text, and only those', () => {
      expect([text('1'), text('1.5'), text('true'), text('"a"'), text('duration("90s")')]).to.deep.equal([
        '1',
        '1.5',
        'true',
        'a',
        '90s',
      ])
      for (const source of ['[1]', '{"a": 1}', 'null', 'optional.of(1)']) {
        expect(() => text(source), source)
          .to.throw(ExpressionError)
          .with.property('code', 'expression_wrong_type')
      }
    })
  })
})
