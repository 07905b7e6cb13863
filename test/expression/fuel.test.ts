import { expect } from 'chai'
import fc from 'fast-check'
import { RE2JS } from 're2js'
import { Meter } from '../../core/expression/values/budget.ts'
import { patternWeight } from '../../core/expression/functions/patterns/pattern-weight.ts'
import { Pattern } from '../../core/expression/functions/patterns/pattern.ts'
import { Part } from '../../core/expression/functions/text/search.ts'
import { Budget, compileExpression, dyn, ExpressionError, toJsonValue } from '../../core/expression/index.ts'
import { seed, times } from '../support/random.ts'

const nowhere = { start: 0, end: 0 }
const items = (count: number) => Array.from({ length: count }, (_, at) => at)

/** The outcome and its cost. */
function spend(expression: string, scope: Readonly<Record<string, unknown>>) {
  const names = Object.fromEntries(Object.keys(scope).map((name) => [name, dyn]))
  const { program, problems } = compileExpression(expression, names)
  if (!program) throw new Error(problems[0]?.message)
  const budget = new Budget()
  const { fuel } = budget
  let outcome = 'value'
  try {
    program.evaluate(scope, budget)
  } catch (error) {
    outcome = (error as ExpressionError).code
  }
  return { outcome, fuel: fuel - budget.fuel }
}

const noise = Array.from({ length: 2000 }, (_, at) =>
  (Math.imul(at ^ (at >>> 3), 0x9e3779b1) >>> 17) & 1 ? 'a' : 'b',
).join('')

/** Parts of patterns, including misleading ones. */
const parts = fc.constantFrom(
  ...String.raw`a b ( (?: (?i: ) | * + ? {2} {3,} {1,7} {0,20} {,3} { } [ab] [^]] []a] [[:alpha:]] [\Q] [a\]] [[:] - ] .
    ^ $ \b (?P<n> \d \pL \p{Greek} \x{41} \Q(a){9}\E \Qab\E \Q \E \( \] é 😀`.split(/\s+/),
)
const patterns = fc
  .array(parts, { minLength: 1, maxLength: 12 })
  .map((all) => all.join(''))
  .chain((one) => fc.constantFrom(one, `(${one}){20}`))

function compiled(pattern: string): RE2JS | undefined {
  if (patternWeight(pattern) > 10_000) return undefined
  try {
    return RE2JS.compile(pattern)
  } catch {
    return undefined
  }
}

describe('fuel', () => {
  describe('of strings read as times', () => {
    const stamps = items(10_000).map((at) => `2026-01-01T00:00:00.${String(at).padStart(9, '0')}+01:00`)
    const spans = items(10_000).map(() => '1h'.repeat(40))
    const scope = { stamps, spans, x: '2026-01-01T00:00:00.5Z' }

    it('is low for timestamps, which are frequent in lists', () => {
      for (const test of ['stamps.filter(s, s < x)', 'timestamp(x) in stamps', 'stamps.filter(s, s == x)'])
        expect(spend(test, scope), test).to.include({ outcome: 'value' })
    })

    it('is used for each string', () => {
      for (const test of [
        'spans.filter(s, s == duration("1h"))',
        'duration("1h") in spans',
        'spans.filter(s, s in ["1"])',
        'spans.filter(s, s - s == duration("1h"))',
        'stamps.exists(s, x in stamps)',
      ])
        expect(spend(test, scope).outcome, test).to.equal('expression_fuel_exhausted')
    })
  })

  describe('of patterns', () => {
    it('is independent of earlier uses of the pattern', () => {
      const literal = { expression: String.raw`x.matches("(a|b)*a(a|b){12}[0-9]")`, scope: { x: noise } }
      const first = spend(literal.expression, literal.scope)
      expect(spend(literal.expression, literal.scope)).to.deep.equal(first)
      const given = { x: noise, pattern: '(a|b)*b(a|b){11}[0-9]' }
      const dynamic = spend('x.matches(pattern)', given)
      for (const pattern of items(100)) spend('x.matches(pattern)', { x: 'a', pattern: `a${pattern}` })
      expect(spend('x.matches(pattern)', given)).to.deep.equal(dynamic)
    })

    it('is used for each new state, which stops patterns with many states', () => {
      const hostile = '!y.matches("^(a|b)*a(a|b){" + string(int(i) % 90 + 10) + "}[0-9]")'
      expect(spend(`x.all(i, ${hostile})`, { x: items(1), y: noise.slice(0, 200) }).outcome).to.equal('value')
      expect(spend(`x.all(i, ${hostile})`, { x: items(10), y: noise }).outcome).to.equal(
        'expression_fuel_exhausted',
      )
    })

    it('is used once per pattern', () => {
      const once = spend('x.all(i, !y.matches(z))', { x: items(1), y: 'b', z: 'a{100}' }).fuel
      expect(once).to.be.greaterThan(800)
      expect(spend('x.all(i, !y.matches(z))', { x: items(100), y: 'b', z: 'a{100}' }).fuel).to.be.lessThan(
        once + 100 * 10,
      )
    })

    it('suffices for realistic patterns and long texts', () => {
      const text = 'the quick brown fox logs in from 10.2.3.4 with user=bob, failed attempts: 3\n'.repeat(150)
      for (const pattern of [
        String.raw`\b\d{1,3}(\.\d{1,3}){3}\b:`,
        '(?i)failed.{0,50}login',
        String.raw`(?i)powershell(\.exe)?\s+.*-e(nc|ncodedcommand)?\s+[A-Za-z0-9+/=]{20,}`,
        String.raw`[a-z0-9._%+-]+@[a-z0-9.-]+\.[a-z]{2,}`,
      ]) {
        expect(spend(`x.matches(r"${pattern}")`, { x: text }).fuel, pattern).to.be.lessThan(2000)
      }
      expect(spend('x.matches("[b-z]+q")', { x: 'a'.repeat(1_000_000) }).outcome).to.equal('value')
    })
  })

  it('is used for calls in a loop', () => {
    const scope = (count: number) => ({ x: items(count), y: '10.0.0.1' })
    expect(spend('x.all(i, cidrContains("10.0.0.0/8", y))', scope(5000)).outcome).to.equal('value')
    expect(spend('x.all(i, cidrContains("10.0.0.0/8", y))', scope(20_000)).outcome).to.equal(
      'expression_fuel_exhausted',
    )
    expect(spend('x.all(i, i >= 0.0)', scope(50_000)).outcome).to.equal('value')
  })

  it('is used for ignored faults', () => {
    expect(spend('x.all(i, y.z || true)', { x: items(1000), y: {} }).fuel).to.be.at.least(5000)
  })

  it('is used for map keys', () => {
    const y = Object.fromEntries(items(10_000).map((key) => [`k${key}`, key]))
    expect(spend('x.all(i, y.exists(k, true))', { x: items(50), y }).outcome).to.equal(
      'expression_fuel_exhausted',
    )
  })

  it('is used for huge integers', () => {
    const x = BigInt('9'.repeat(1_000_000))
    expect(spend('string(x)', { x }).outcome).to.equal('expression_fuel_exhausted')
    expect(spend('x * x > 0', { x }).outcome).to.equal('expression_overflow')
    expect(spend('string(x)', { x: 2n ** 100n })).to.deep.include({ outcome: 'value' })
  })
})

describe('patterns', () => {
  it('match like the library', () => {
    fc.assert(
      fc.property(
        patterns,
        fc.array(fc.constantFrom('a', 'b', 'A', ' ', '\n', '9', 'é', '😀', '\ud83d')),
        (pattern, text) => {
          const library = compiled(pattern)
          fc.pre(library !== undefined)
          const value = text.join('')
          const meter = new Meter(undefined)
          meter.fuel = 1e9
          const ours = new Pattern(pattern, nowhere)
          expect(ours.find(value, meter, nowhere)).to.equal(library.test(value))
          expect(ours.find(value, meter, nowhere), 'again').to.equal(library.test(value))
        },
      ),
      { seed, numRuns: times(1500), maxSkipsPerRun: 1000 },
    )
  })

  it('weigh at least their compiled size', () => {
    fc.assert(
      fc.property(patterns, (pattern) => {
        const library = compiled(pattern)
        fc.pre(library !== undefined)
        expect(patternWeight(pattern)).to.be.at.least(library.programSize())
      }),
      { seed, numRuns: times(1500), maxSkipsPerRun: 1000 },
    )
  })

  it('are refused before compilation if too large', () => {
    const { problems } = compileExpression(`x.matches("(${'a'.repeat(900)}){999}")`, { x: dyn })
    expect(problems.map(({ code }) => code)).to.deep.equal(['too_many_nodes'])
    const many = Array.from({ length: 20 }, () => 'x.matches(".{0,900}")').join(' || ')
    expect(compileExpression(many, { x: dyn }).problems.map(({ code }) => code)).to.deep.equal([
      'too_many_nodes',
    ])
  })
})

describe('searching text', () => {
  it('matches the platform, forwards and backwards', () => {
    const letters = (size: number) =>
      fc.string({ unit: fc.constantFrom('a', 'b'), minLength: size, maxLength: size })
    fc.assert(
      fc.property(
        fc.oneof(
          letters(300),
          fc.integer({ min: 0, max: 299 }).map((at) => `${'a'.repeat(at)}b${'a'.repeat(299 - at)}`),
        ),
        letters(700),
        fc.nat(700),
        fc.nat(1100),
        (part, value, at, from) => {
          const text = value.slice(0, at) + part + value.slice(at)
          const search = new Part(part)
          expect(search.indexIn(text, from)).to.equal(text.indexOf(part, from))
          expect(search.lastIndexIn(text, from)).to.equal(text.lastIndexOf(part, from))
          expect(search.lastIndexIn(value)).to.equal(value.lastIndexOf(part))
        },
      ),
      { seed, numRuns: times(300) },
    )
  })
})

describe('values with shared parts', () => {
  /** A list that contains the previous one twice, nested this many times. */
  function doubled(levels: number): unknown {
    let value: unknown = [2n]
    for (let at = 0; at < levels; at++) value = [value, value]
    return value
  }

  it('are converted once for each part', () => {
    const converted = toJsonValue(doubled(15)) as unknown[]
    expect(converted[0]).to.equal(converted[1])
    expect(JSON.stringify(toJsonValue(doubled(2)))).to.equal('[[[2],[2]],[[2],[2]]]')
  })

  it('cost their full size as JSON', () => {
    expect(() => toJsonValue(doubled(60)))
      .to.throw(ExpressionError)
      .with.property('code', 'expression_fuel_exhausted')
  })

  it('obey the depth limit on every path', () => {
    const wrap = (value: unknown, levels: number): unknown => items(levels).reduce((inner) => [inner], value)
    const inner = wrap(1, 150)
    expect(() => toJsonValue([inner, wrap(inner, 100)]))
      .to.throw(ExpressionError)
      .with.property('code', 'expression_too_deep')
    expect(toJsonValue([inner, wrap(inner, 40)])).to.be.an('array')
  })
})
