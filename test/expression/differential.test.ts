import { celEnv, isCelError, isCelList, isCelMap, parse, plan } from '@bufbuild/cel'
import { strings } from '@bufbuild/cel/ext'
import { expect } from 'chai'
import * as fc from 'fast-check'
import { compileExpression, dyn, ExpressionError } from '../../core/expression/index.ts'
import { isPlainObject, type Value } from '../../core/expression/values/values.ts'
import { times, tries } from '../support/random.ts'

const env = celEnv({ funcs: strings })

const scope = {
  i: 7n,
  d: 2.5,
  s: 'Hello, World',
  e: '',
  t: true,
  n: null,
  l: [3, 1, 2],
  w: ['b', 'a', 'ab'],
  m: { a: 1, b: 'two', c: { d: [1, 2] } },
  r: [{ id: 1, tag: 'x' }, { id: 2 }, { id: 3, tag: 'yy' }],
}

type Text = fc.Arbitrary<string>

/** Excludes comparisons of two texts that denote times or durations: CEL compares them as text. */
const comparisonOfTexts = (text: Text): Text =>
  fc
    .tuple(text, fc.constantFrom('==', '!=', '<', '<=', '>', '>='), text)
    .filter(([left, , right]) => !areTimes(ours(left), ours(right)))
    .map(([left, operator, right]) => `(${left} ${operator} ${right})`)

/** Excludes lists, which have these functions only here. */
const positionInText = (name: 'indexOf' | 'lastIndexOf', text: Text): Text =>
  fc
    .tuple(text, text)
    .filter(([target]) => !Array.isArray(ours(target)))
    .map(([target, part]) => `${target}.${name}(${part})`)

const areTimes = (...values: readonly unknown[]): boolean =>
  [/^-?\d+(?:\.\d+)?s$/, /^\d{4}-\d\d-\d\dt/i].some((form) =>
    values.every((value) => typeof value === 'string' && form.test(value)),
  )

/**
 * Excludes characters beyond U+FFFF, which @bufbuild/cel counts as two. Expressions by type; some have a part
 * of another type, so that errors are compared as well.
 */
const { bool, int, double, text, ints, words } = fc.letrec<
  Record<'bool' | 'int' | 'double' | 'text' | 'ints' | 'words' | 'any', string>
>((tie) => {
  const binary = (left: Text, operators: readonly string[], right: Text): Text =>
    fc.tuple(left, fc.constantFrom(...operators), right).map(([a, operator, b]) => `(${a} ${operator} ${b})`)
  const fill = (template: string, ...parts: Text[]): Text =>
    fc
      .tuple(...parts)
      .map((found) => found.reduce((filled, part) => filled.replace(/\b_\b/, () => part), template))
  const orders = ['==', '!=', '<', '<=', '>', '>=']
  const some = (weight: number, arbitrary: Text) => ({ weight, arbitrary })
  const mostly = (...choices: Text[]): Text =>
    fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      ...choices.map((each) => some(20, each)),
      some(1, tie('any')),
    )
  return {
    bool: mostly(
      fc.constantFrom('true', 'false', 't', 'has(m.a)', 'has(m.zz)', 'n == null', 'm.zz'),
      fill('(!_)', tie('bool')),
      binary(tie('bool'), ['&&', '||', '==', '!='], tie('bool')),
      binary(tie('int'), orders, tie('int')),
      binary(tie('double'), orders, tie('double')),
      binary(tie('int'), orders, tie('double')),
      comparisonOfTexts(tie('text')),
      binary(tie('ints'), ['==', '!='], tie('ints')),
      fill('(_ in _)', tie('int'), tie('ints')),
      fill('(_ in _)', tie('text'), tie('words')),
      fill('(_ in m)', fc.constantFrom('"a"', '"zz"', 's', 'e', '1')),
      fill('_.all(x, x > _)', tie('ints'), tie('int')),
      fill('_.exists(x, x == _)', tie('words'), tie('text')),
      fill('_.exists_one(x, x.size() > _)', tie('words'), tie('int')),
      fill('r.exists(x, x.tag == _)', tie('text')),
      fill('r.all(x, has(x.tag) || x.id == _)', tie('int')),
      fill('_.contains(_)', tie('text'), tie('text')),
      fill('_.startsWith(_)', tie('text'), tie('text')),
      fill('_.endsWith(_)', tie('text'), tie('text')),
      fill('_.matches("^[a-z]+$")', tie('text')),
      fill('(_ ? _ : _)', tie('bool'), tie('bool'), tie('bool')),
    ),
    int: mostly(
      fc.constantFrom('0', '1', '-1', '3', '1099511627776', 'i', 'size(l)', 'm.zz'),
      binary(tie('int'), ['+', '-', '*', '/', '%'], tie('int')),
      fill('(-_)', tie('int')),
      fill('size(_)', tie('text')),
      fill('_.size()', tie('ints')),
      fill('int(_)', tie('double')),
      // Text that is not a number: @bufbuild/cel reads an empty one as 0.
      fill('int(_)', fc.constantFrom('"12"', '"-7"', '"x"')),
      positionInText('indexOf', tie('text')),
      positionInText('lastIndexOf', tie('text')),
      fill('(_ ? _ : _)', tie('bool'), tie('int'), tie('int')),
      fill('timestamp(_).getSeconds()', fc.constantFrom('"2026-03-01T08:05:09Z"', '"x"')),
    ),
    double: mostly(
      fc.constantFrom('0.0', '1.5', '-2.25', '1e100', 'd', 'l[0]', 'm.a', 'm["a"]', 'l[5]'),
      binary(tie('double'), ['+', '-', '*', '/'], tie('double')),
      fill('double(_ - 0)', tie('int')),
      fill('(-_)', tie('double')),
      fill('(_ ? _ : _)', tie('bool'), tie('double'), tie('double')),
    ),
    text: mostly(
      fc.constantFrom('"a"', '"ab"', "'é'", 's', 'e', 'm.b', 'w[1]', 'm.c'),
      binary(tie('text'), ['+'], tie('text')),
      fill('string(_)', tie('int')),
      fill('string(_)', tie('bool')),
      fill('_.lowerAscii()', tie('text')),
      fill('_.upperAscii()', tie('text')),
      fill('_.trim()', tie('text')),
      fill('_.charAt(_)', tie('text'), tie('int')),
      fill('_.substring(_)', tie('text'), tie('int')),
      fill('_.substring(_, _)', tie('text'), tie('int'), tie('int')),
      // An empty part matches between all characters; @bufbuild/cel omits both ends.
      fill('_.replace("l", _)', tie('text'), tie('text')),
      fill('_.join(_)', tie('words'), tie('text')),
      fill('(_ ? _ : _)', tie('bool'), tie('text'), tie('text')),
      fill('string(duration(_))', fc.constantFrom('"90s"', '"1h30m"', '"-1.5h"', '"x"')),
      fill(
        'string(timestamp("2026-03-01T08:05:09Z") + duration(_))',
        fc.constantFrom('"90s"', '"1h30m"', '"x"'),
      ),
    ),
    ints: mostly(
      fc.constantFrom('[]', '[1, 2, 3]', 'l', '[i, 2]', 'm.c.d'),
      binary(tie('ints'), ['+'], tie('ints')),
      fill('_.map(x, x)', tie('ints')),
      fill('_.filter(x, x > _)', tie('ints'), tie('int')),
      fill('_.map(x, x > _, x)', tie('ints'), tie('int')),
      fill('[_, _]', tie('int'), tie('int')),
    ),
    words: mostly(
      fc.constantFrom('[]', '["a", "b"]', 'w', 'm.b'),
      fill('_.map(x, x + _)', tie('words'), tie('text')),
      fill('_.split(_)', tie('text'), tie('text')),
      fill('[_, _]', tie('text'), tie('text')),
    ),
    // Excludes numbers: int with double is an error in CEL and works here.
    any: fc.constantFrom(
      'null',
      '"a"',
      'true',
      '[1]',
      '{"a": 1}',
      'm',
      'timestamp("2026-03-01T08:05:09Z")',
      'zz',
    ),
  }
})

/** Text next to a time is read as a time; CEL fails there. */
const hasTextBesideTime = (source: string): boolean =>
  /timestamp\("[^"]*"\)(?!\.getSeconds| \+ duration)/.test(source) &&
  /string\((?:duration|timestamp)\(/.test(source)

const failed = Symbol('failed')

function ours(source: string): unknown {
  const names = Object.fromEntries(Object.keys(scope).map((name) => [name, dyn]))
  const { program } = compileExpression(source, names, { types: 'off' })
  if (!program) return failed
  try {
    return plain(program.evaluate(scope))
  } catch (error) {
    if (error instanceof ExpressionError) return failed
    throw error
  }
}

function theirs(source: string): unknown {
  try {
    const result: unknown = plan(env, parse(source))(scope)
    return isCelError(result) ? failed : plain(result)
  } catch {
    return failed
  }
}

/** Normalizes both kinds of values. The kind of a number is kept: 1 differs from 1.0. */
function plain(value: unknown): unknown {
  if (isCelList(value) || Array.isArray(value)) return [...(value as Iterable<unknown>)].map(plain)
  if (isCelMap(value))
    return Object.fromEntries([...value].map(([key, each]) => [key as string, plain(each)]))
  if (isPlainObject(value as Value)) {
    return Object.fromEntries(Object.entries(value as object).map(([key, each]) => [key, plain(each)]))
  }
  if (typeof value === 'object' && value !== null) return 'a time'
  return typeof value === 'bigint' ? `int ${value}` : Object.is(value, -0) ? 0 : value
}

describe('expressions compared with @bufbuild/cel', function () {
  this.timeout(times(60_000))

  for (const [type, arbitrary] of Object.entries({ bool, int, double, text, ints, words })) {
    it(`return the same value or the same failure for generated expressions of type ${type}`, () => {
      fc.assert(
        fc.property(arbitrary, (source) => {
          // There, two in a row cancel out, whatever they are applied to.
          fc.pre(!/!\(!|-\(-/.test(source))
          fc.pre(!hasTextBesideTime(source))
          expect(ours(source), source).to.deep.equal(theirs(source))
        }),
        tries(200),
      )
    })
  }
})
