import { expect } from 'chai'
import fc from 'fast-check'
import { RE2JS } from 're2js'
import { Meter } from '../../../core/expression/values/budget.ts'
import { patternWeight } from '../../../core/expression/functions/patterns/pattern-weight.ts'
import { Pattern } from '../../../core/expression/functions/patterns/pattern.ts'
import { Budget, compileExpression, dyn } from '../../../core/expression/index.ts'
import { typeText } from '../../../core/editor/type-text.ts'
import { seed, times } from '../../support/random.ts'
import { names, problems } from '../checked.ts'
import { evaluate, failure } from '../evaluated.ts'

const nowhere = { start: 0, end: 0 }

const parts = fc.constantFrom(
  ...String.raw`a b ( (?: (?i: (?P<n> ) | * + ? *? +? {2} {0,3} [ab] [^a] . ^ $ \b \B \A \z (?m:^ (?s:. é 😀 \d \pL`.split(
    /\s+/,
  ),
)
const patterns = fc.array(parts, { minLength: 1, maxLength: 10 }).map((all) => all.join(''))
const texts = fc.array(fc.constantFrom('a', 'b', 'A', ' ', '\n', '9', 'é', '😀', '\ud83d'), { maxLength: 12 })

function compiled(pattern: string): RE2JS | undefined {
  if (patternWeight(pattern) > 10_000) return undefined
  try {
    return RE2JS.compile(pattern)
  } catch {
    return undefined
  }
}

describe('regular expressions', () => {
  it('capture like the library, from any position', () => {
    fc.assert(
      fc.property(patterns, texts, fc.nat(12), (pattern, characters, from) => {
        const library = compiled(pattern)
        const text = characters.join('')
        fc.pre(library !== undefined && from <= text.length)
        // A position inside a character beyond U+FFFF is invalid.
        fc.pre(!/[\udc00-\udfff]/.test(text.charAt(from)))
        const meter = new Meter(undefined)
        meter.fuel = meter.bytes = 1e9
        const matcher = library.matcher(text)
        const wanted = matcher.find(from)
          ? Array.from({ length: matcher.groupCount() + 1 }, (_, at) => [
              matcher.start(at),
              matcher.end(at),
            ]).flat()
          : undefined
        const ours = new Pattern(pattern, nowhere)
        const found = ours.capture(text, from, meter, nowhere)
        expect(found && [...found]).to.deep.equal(wanted)
        expect(ours.capture(text, from, meter, nowhere), 'again').to.deep.equal(found)
      }),
      { seed, numRuns: times(1500), maxSkipsPerRun: 1000 },
    )
  })

  it('extract, list and replace matches', () => {
    const x = 'user=dana id=7; user=fox id=12'
    expect(evaluate(String.raw`regex.extract(x, r"user=(\w+)").orValue("")`, { x })).to.equal('dana')
    expect(evaluate(String.raw`regex.extract(x, "nobody").hasValue()`, { x })).to.equal(false)
    expect(evaluate(String.raw`regex.extractAll(x, r"id=\d+")`, { x })).to.deep.equal(['id=7', 'id=12'])
    expect(evaluate(String.raw`regex.replace(x, r"user=(\w+)", r"<\1\\>", 1)`, { x })).to.equal(
      String.raw`<dana\> id=7; user=fox id=12`,
    )
    expect(evaluate('regex.replace("añ😀", "", "-")')).to.equal('-a-ñ-😀-')
    expect(evaluate('regex.extractAll("baac", "a*")')).to.deep.equal(['', 'aa', ''])
  })

  it('name groups, also those of data', () => {
    const x = { text: 'ip 10.0.0.7 port 22', pattern: String.raw`ip (?P<ip>\S+)(?: port (\d+))?( udp)?` }
    const groups = { ip: '10.0.0.7', 2: '22' }
    expect(evaluate('regex.groups(x.text, x.pattern)', { x })).to.deep.equal(groups)
    expect(evaluate('regex.groups("", x.pattern).hasValue()', { x })).to.equal(false)
    const typed = String.raw`regex.groups(b.status, r"(?P<user>\w+)@(?P<host>\w+)")`
    expect(typeText(compileExpression(`${typed}.?user.orValue("")`, names).type)).to.equal('string')
    expect(problems(`${typed}.?usr`)[0]).to.include('did you mean user?')
  })

  it('refuse invalid patterns and replacements before the run', () => {
    expect(problems('regex.extract(alert.id, "(a)(b)")')[0]).to.include('the pattern has 2 groups')
    expect(problems('regex.extract(alert.id, "(")')[0]).to.include('is not a valid pattern')
    expect(problems('regex.extract(alert.id, "(?<=a)b")')[0]).to.include('look-around and back references')
    expect(problems('regex.replace(alert.id, "(a)", "$1")')[0]).to.include(String.raw`write r"\1"`)
    expect(problems(String.raw`regex.replace(alert.id, "(a)", r"\2")`)[0]).to.include(
      'the replacement has group 2',
    )
    const patternOfData = { x: '(a)(b)' }
    expect(failure('regex.extract("ab", x)', patternOfData).code).to.equal('expression_invalid_argument')
    expect(failure('regex.replace("ab", x, x)', { x: '\\' }).code).to.equal('expression_invalid_argument')
  })

  it('cost little for long texts, and end for hostile ones', () => {
    const spent = (source: string, x: string): number | string => {
      const budget = new Budget()
      const { fuel } = budget
      try {
        compileExpression(source, { x: dyn }).program!.evaluate({ x }, budget)
      } catch (error) {
        return (error as { code: string }).code
      }
      return fuel - budget.fuel
    }
    const log = 'Jan 02 host sshd[12]: Failed password for root from 10.2.3.4 port 22\n'.repeat(1500)
    expect(spent(String.raw`regex.extract(x, r"from (\d+\.\d+\.\d+\.\d+) port 99")`, log)).to.be.lessThan(
      5000,
    )
    expect(spent(String.raw`regex.extractAll(x, r"\d+\.\d+\.\d+\.\d+")`, log)).to.be.lessThan(40_000)
    const a = 'a'.repeat(1_000_000)
    expect(spent('regex.extract(x, "(a|aa)+b")', a)).to.be.a('number')
    expect(spent('regex.extractAll(x, "a(.*x)?")', a)).to.equal('expression_fuel_exhausted')
    expect(spent('regex.replace(x, "a", "aaaaaaaaaaaaaaaaaaaa")', a)).to.match(/exhausted/)
  })
})
