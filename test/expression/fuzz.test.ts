import { expect } from 'chai'
import * as fc from 'fast-check'
import {
  compileExpression,
  dyn,
  enumeration,
  ExpressionError,
  list,
  object,
  optional,
  string,
  toJsonValue,
} from '../../core/expression/index.ts'
import { times, tries } from '../support/random.ts'
import { anyCharacter } from '../support/any-character.ts'

const names = {
  x: dyn,
  o: object({ a: string, b: optional(list(string)), c: enumeration(['one', 'two']) }),
}
const scope = { x: { a: [1, 'two', null, { b: true }] }, o: { a: 'text', c: 'one' } }

const words = String.raw`x o a b c one has all map filter exists optional of none cel bind size matches timestamp duration
  sortBy groupBy transformMap transformMapEntry math greatest round regex groups replace format parseTime lists sets hex url sort first flatten zipMap merge
  string true false null in if and 0 1 -1 2.5 1u 0x 9223372036854775808 "t" 'q' "open r"raw" b"y" """ \n \u00 ( ) [ ] { } .
  .? [? , : ? ! - + * / % == != < <= > >= && || = & | ${'`'} $\{{ }} // é 😀 x.a o.c o.b has(o.b) .map(x, x.all(x, [x]`
const parts = [...words.split(/\s+/), '\n', '\ud800', '\0']
const soup = fc
  .array(fc.constantFrom(...parts), { maxLength: 25 })
  .chain((found) => fc.constantFrom('', ' ').map((between) => found.join(between)))
const sources = fc.oneof(soup, fc.string({ maxLength: 30, unit: anyCharacter }))

describe('any source', function () {
  this.timeout(times(60_000))

  it('compiles, or returns problems with positions inside the source', () => {
    fc.assert(
      fc.property(sources, (source) => {
        const { program, problems } = compileExpression(source, names)
        expect(program === undefined).to.equal(problems.length > 0)
        for (const { start, end } of problems) {
          expect(start).to.be.within(0, source.length)
          expect(end).to.be.within(start, source.length)
        }
      }),
      tries(1_000),
    )
  })

  it('evaluates to a value or a typed error, with and without types', () => {
    fc.assert(
      fc.property(sources, fc.constantFrom('strict' as const, 'off' as const), (source, types) => {
        const { program } = compileExpression(source, names, { types })
        try {
          toJsonValue(program?.evaluate(scope) ?? null)
        } catch (error) {
          expect(error).to.be.instanceOf(ExpressionError)
        }
      }),
      tries(1_000),
    )
  })
})
