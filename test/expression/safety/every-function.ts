import { allFunctions } from '../../../core/expression/functions/standard-library.ts'
import type { ExpressionFunction, ParameterType } from '../../../core/expression/functions/function.ts'
import { makeRandom, seed } from '../../support/random.ts'

/** A call of a function in a loop with values of hostile size. */
export interface HostileCall {
  readonly name: string
  readonly expression: string
  readonly scope: Readonly<Record<string, unknown>>
}

const million = 1_000_000
const filled = (piece: string): string => piece.repeat(Math.ceil(million / piece.length))

const texts: Readonly<Record<string, string>> = {
  letters: filled('a'),
  words: filled('ab <c> '),
  'wide characters': filled('😀'),
  'encoded characters': filled('%ff&amp;%41'),
  'dots and slashes': filled('1.http://a@b:8/?'),
  digits: filled('9'),
  'brackets and escapes': filled('[{"\\'),
  'white space': filled(' \n'),
  'white space before a URL': `${filled(' ')}http://a/`,
  'white space in a URL': `http://a/${filled(' ')}?b`,
  'an endless query': `http://a/?${filled('b=c&')}`,
}
const lists: Readonly<Record<string, readonly unknown[]>> = {
  numbers: Array.from({ length: 300_000 }, (_, at) => (at * 7919) % 300_007),
  strings: Array.from({ length: 50_000 }, (_, at) => `${'a'.repeat(40)}${(at * 7919) % 50_021}`),
  'long strings': Array.from({ length: 100 }, () => texts['letters']),
  objects: Array.from({ length: 50_000 }, (_, at) => ({ id: at, tags: [at, 'a'] })),
  lists: Array.from({ length: 100_000 }, (_, at) => [at]),
  times: Array.from({ length: 50_000 }, (_, at) => `2026-01-01T00:00:00.${at}Z`),
}
const maps = {
  keys: Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`key ${at}`, at])),
}

const anyValue = { letters: texts['letters'], objects: lists['objects'], ...maps }

/** Values of a parameter whose size the author of an alert controls. */
const large: Partial<Record<ParameterType, Readonly<Record<string, unknown>>>> = {
  string: texts,
  list: lists,
  strings: { strings: lists['strings'], 'long strings': lists['long strings'] },
  numbers: { numbers: lists['numbers'] },
  summable: { numbers: lists['numbers'] },
  ordered: { numbers: lists['numbers'], strings: lists['strings'], times: lists['times'] },
  map: maps,
  any: anyValue,
  value: anyValue,
}

const small: Readonly<Record<ParameterType, string>> = {
  any: '"a"',
  value: '"a"',
  string: '"a"',
  strings: '["a"]',
  number: '1.5',
  numbers: '[1.5]',
  summable: '[1.5]',
  ordered: '["a"]',
  int: '100000',
  bool: 'true',
  list: '["a"]',
  map: '{"a": 1}',
  timestamp: 'timestamp(0)',
  duration: 'duration("1s")',
  optional: 'optional.of("a")',
}

/**
 * Each function with one large argument, and with all arguments large. The long form of the tests tries all
 * values.
 */
export function everyFunction(): readonly HostileCall[] {
  const random = makeRandom(seed)
  const isLong = Number(process.env['TOCSIN_TEST_TIMES'] ?? 1) > 1
  const some = (values: Readonly<Record<string, unknown>>) => {
    const all = Object.entries(values)
    return isLong ? all : [all[Math.floor(random() * all.length)]!]
  }
  return allFunctions.flatMap((each) =>
    each.overloads.flatMap(({ parameters }) => {
      const sized = [...parameters.keys()].filter((at) => large[parameters[at]!] !== undefined)
      const choices = sized.length > 1 ? [...sized.map((at) => [at]), sized] : [sized]
      return choices.flatMap((places) =>
        some(places.length === 0 ? { nothing: 0 } : large[parameters[places[0]!]!]!).map(([what]) =>
          hostileCall(each, parameters, places, what, random),
        ),
      )
    }),
  )
}

function hostileCall(
  { name, receiver }: ExpressionFunction,
  parameters: readonly ParameterType[],
  places: readonly number[],
  what: string,
  random: () => number,
): HostileCall {
  const scope: Record<string, unknown> = { x: lists['numbers'] }
  const args = parameters.map((parameter, at) => {
    // Not a literal, which may be refused before the run.
    if (!places.includes(at)) return `dyn(${small[parameter]})`
    const values = Object.entries(large[parameter]!)
    const value = large[parameter]![what] ?? values[Math.floor(random() * values.length)]![1]
    scope[`a${at}`] = value
    return `a${at}`
  })
  const call = receiver
    ? `dyn(${args[0]}).${name}(${args.slice(1).join(', ')})`
    : `${name}(${args.join(', ')})`
  const shown =
    places.length === 0 ? '' : ` of ${what}${places.length > 1 ? ' everywhere' : ` at ${places[0]}`}`
  return {
    name: `call of ${receiver ? '.' : ''}${name}(${parameters.join(', ')})${shown}`,
    expression: `x.all(i, [${call}].size() > 0 || true)`,
    scope,
  }
}
