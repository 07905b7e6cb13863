/** A child process with little memory: evaluates hostile expressions and prints the outcome of each. */
import {
  Budget,
  compileExpression,
  dyn,
  ExpressionError,
  toJsonValue,
  type Type,
} from '../../../core/expression/index.ts'
import { processorTime } from '../../support/processor-time.ts'
import { everyFunction } from './every-function.ts'

interface Hostile {
  readonly name: string
  readonly expression: string
  readonly scope?: Readonly<Record<string, unknown>>
  /** Default: the budget of one evaluation. */
  readonly fuel?: number
}

/** The outcome of an expression, and its duration. */
export interface Outcome {
  readonly name: string
  /** `value`, or the code of the first problem or of the error. `crash` must never occur. */
  readonly outcome: string
  readonly ms: number
}

const items = Array.from({ length: 200 }, (_, at) => ({ id: at, name: `item ${at}` }))
const digits = '[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29]'
const hostileKeys = JSON.parse(
  '{"__proto__": {"polluted": true}, "constructor": 1, "toString": 2, "hasOwnProperty": 3}',
)
const bigText = 'a'.repeat(1_000_000)
const bigList = Array.from({ length: 100_000 }, (_, at) => at)

function deep(levels: number): unknown {
  let value: unknown = 1
  for (let at = 0; at < levels; at++) value = { next: value }
  return value
}

/** Random-looking letters, the same each time. */
const noise = Array.from({ length: 2000 }, (_, at) =>
  (Math.imul(at ^ (at >>> 3), 0x9e3779b1) >>> 17) & 1 ? 'a' : 'b',
).join('')

function wide(keys: number): unknown {
  return Object.fromEntries(Array.from({ length: keys }, (_, at) => [`key ${at}`, at]))
}

const keys = wide(100_000)
const endless = BigInt('9'.repeat(1_000_000))

function nest(variables: string, body: string): string {
  return variables.split('').reduceRight((inner, name) => `${digits}.all(${name}, ${inner})`, body)
}

/** `cel.bind(a, first, cel.bind(b, a + a, …))`: each step doubles. */
function doubling(
  first: string,
  step: (name: string) => string,
  times: number,
  last: (name: string) => string,
): string {
  let expression = last(`v${times}`)
  for (let at = times; at > 0; at--) expression = `cel.bind(v${at}, ${step(`v${at - 1}`)}, ${expression})`
  return `cel.bind(v0, ${first}, ${expression})`
}

const twice = (name: string): string => `${name} + ${name}`
const pair = (name: string): string => `[${name}, ${name}]`
const same = (name: string): string => name
const shared = doubling('[1]', pair, 25, same)

const corpus: readonly Hostile[] = [
  {
    name: 'patterns with many states',
    expression: 'x.all(i, !y.matches("^(a|b)*a(a|b){" + string(int(i) % 90 + 10) + "}[0-9]"))',
    scope: { x: bigList, y: noise },
  },
  ...['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf'].flatMap((key) => [
    { name: `${key} of data without it`, expression: `x.${key}`, scope: { x: { a: 1 } } },
    { name: `${key} of a list`, expression: `x.${key}`, scope: { x: [1] } },
    { name: `${key} of text`, expression: `x['${key}']`, scope: { x: 'text' } },
    { name: `${key} as a name`, expression: key },
    { name: `${key} called`, expression: `x.${key}()`, scope: { x: {} } },
    { name: `${key} as a function`, expression: `${key}(x)`, scope: { x: {} } },
  ]),
  { name: 'constructor of a constructor', expression: "x['constructor']['constructor']", scope: { x: {} } },
  { name: 'hostile keys as data', expression: 'x.constructor + x.toString', scope: { x: hostileKeys } },
  { name: '__proto__ as data', expression: 'x.__proto__.polluted', scope: { x: hostileKeys } },
  { name: 'an object with __proto__', expression: '{"__proto__": {"polluted": true}}.polluted' },
  { name: 'ReDoS (a+)+', expression: 'x.matches("^(a+)+$")', scope: { x: `${'a'.repeat(50_000)}!` } },
  { name: 'ReDoS (a|a)*', expression: 'x.matches("^(a|a)*$")', scope: { x: `${'a'.repeat(50_000)}!` } },
  { name: 'ReDoS (.*)(.*)(.*)', expression: 'x.matches("^(.*)(.*)(.*)(.*)[^a]$")', scope: { x: bigText } },
  { name: 'a huge pattern', expression: 'x.matches("((a{100}){100}){100}")', scope: { x: bigText } },
  { name: 'a wide pattern', expression: 'x.matches("(x+x+)+y.{900}")', scope: { x: bigText } },
  {
    name: 'many patterns',
    expression: `x.all(i, "a".matches(string(i) + "{900}") || true)`,
    scope: { x: bigList },
  },
  { name: 'macros 2 deep over 200', expression: 'x.all(a, x.all(b, a.id + b.id >= 0))', scope: { x: items } },
  {
    name: 'macros 3 deep over 200',
    expression: 'x.all(a, x.all(b, x.all(c, a.id + b.id + c.id >= 0)))',
    scope: { x: items },
  },
  {
    name: 'macros building lists',
    expression: 'x.map(a, x.map(b, x.map(c, [a, b, c])))',
    scope: { x: items },
  },
  { name: 'literal loops 30^6', expression: nest('abcdef', 'a + b + c + d + e + f >= 0') },
  { name: 'loops that fault', expression: nest('abcdef', 'a / (a - a) > 1') },
  {
    name: 'string doubling',
    expression: doubling('"aaaaaaaaaaaaaaaa"', twice, 40, (name) => `${name}.size()`),
  },
  { name: 'list doubling', expression: doubling('[1, 2, 3, 4]', twice, 40, (name) => `${name}.size()`) },
  { name: 'shared lists as JSON', expression: doubling('[1]', pair, 40, (name) => `json(${name})`) },
  { name: 'shared lists compared', expression: `${shared} == ${shared}` },
  {
    name: 'shared lists formatted',
    expression: doubling('[1]', pair, 40, (name) => `"%s".format([${name}])`),
  },
  { name: 'shared lists returned', expression: doubling('[1]', pair, 40, same) },
  { name: 'shared text returned', expression: doubling('["' + 'a'.repeat(1000) + '"]', pair, 30, same) },
  { name: 'replace that grows', expression: 'x.replace("a", x)', scope: { x: 'a'.repeat(100_000) } },
  { name: 'replace of nothing', expression: 'x.replace("", "bbbbbbbbbbbbbbbb")', scope: { x: bigText } },
  {
    name: 'four million replacements',
    expression: 'x.replace("a", "b")',
    scope: { x: 'a'.repeat(4_000_000) },
  },
  {
    name: 'a long text in a list of others that end differently',
    expression: 'x.all(i, !(y in z))',
    scope: {
      x: bigList,
      y: bigText,
      z: Array.from({ length: 50 }, (_, at) => bigText.slice(1) + String.fromCharCode(98 + at)),
    },
  },
  { name: 'split into characters', expression: 'x.split("").size()', scope: { x: bigText } },
  {
    name: 'join that grows',
    expression: 'x.map(i, "aaaaaaaaaa").join(y)',
    scope: { x: bigList, y: bigText },
  },
  { name: 'format with a huge precision', expression: '"%.999999999f".format([1.0])' },
  {
    name: 'comparing long texts in a loop',
    expression: 'x.all(i, y + "a" == y + "a")',
    scope: { x: bigList, y: bigText },
  },
  {
    name: 'long texts compared in a loop',
    expression: 'x.all(i, y == z)',
    scope: { x: bigList, y: bigText, z: ` ${bigText}`.slice(1) },
  },
  { name: 'in over a long list in a loop', expression: 'x.all(i, i in x)', scope: { x: bigList } },
  { name: 'equality of long lists in a loop', expression: 'x.all(i, x == x)', scope: { x: bigList } },
  { name: 'sha256 in a loop', expression: 'x.all(i, sha256(y) != "")', scope: { x: bigList, y: bigText } },
  {
    name: 'parseJson in a loop',
    expression: 'x.all(i, parseJson(y) != "")',
    scope: { x: bigList, y: JSON.stringify(bigList) },
  },
  { name: 'parseJson of depth', expression: 'parseJson(x)', scope: { x: '['.repeat(100_000) } },
  { name: 'domainOf of noise', expression: 'domainOf(x)', scope: { x: 'a.@:/'.repeat(200_000) } },
  { name: 'defang of dots', expression: 'defang(x).size()', scope: { x: 'a.'.repeat(100_000) } },
  { name: 'refang of brackets', expression: 'refang(x).size()', scope: { x: '[.'.repeat(100_000) } },
  {
    name: 'searching backwards',
    expression: 'x.lastIndexOf(y)',
    scope: { x: bigText, y: `${'a'.repeat(100_000)}b` },
  },
  {
    name: 'searching forwards in a loop',
    expression: 'x.all(i, !y.contains(z))',
    scope: { x: bigList, y: bigText, z: `${'a'.repeat(100_000)}b` },
  },
  {
    name: 'searching a short part in a loop',
    expression: 'x.map(i, x.map(j, y.indexOf("xy"))).size()',
    scope: { x: bigList.slice(0, 200), y: bigText },
  },
  {
    name: 'objects of many keys compared in a loop',
    expression: 'x.all(i, y != z)',
    scope: { x: bigList, y: wide(50_000), z: wide(50_001) },
  },
  {
    name: 'types that share their parts',
    expression: doubling(
      '{"a": 1}',
      (name) => `{${Array.from({ length: 8 }, (_, at) => `"${at}": ${name}`).join(', ')}}`,
      30,
      (name) => `${name}.x`,
    ),
  },
  {
    name: 'a pattern that repeats itself',
    expression: `x.matches("(${'a'.repeat(900)}){999}")`,
    scope: { x: 'a' },
  },
  {
    name: 'a pattern of the data that repeats itself',
    expression: 'x.all(i, y.matches(z) || true)',
    scope: { x: bigList, y: 'a', z: `(${'a'.repeat(900)}){999}` },
  },
  {
    name: 'a pattern of many classes',
    expression: `[${Array(8)
      .fill(`x.matches("${'\\\\pL'.repeat(180)}")`)
      .join(', ')}]`,
    scope: { x: 'a' },
  },
  {
    name: 'a class in a loop',
    expression: 'x.all(i, !y.matches("\\\\pL{30}\\\\pN"))',
    scope: { x: bigList, y: 'äö ñß '.repeat(500) },
  },
  {
    name: 'a long beginning of a pattern',
    expression: `x.all(i, !y.matches("${'a'.repeat(500)}b${'a'.repeat(400)}"))`,
    scope: { x: bigList, y: bigText },
  },
  {
    name: 'searching backwards in a loop',
    expression: 'x.all(i, y.lastIndexOf(z) < 0)',
    scope: { x: bigList, y: 'a'.repeat(2000), z: `${'a'.repeat(1000)}b` },
  },
  {
    name: 'faults in a loop',
    expression: `x.all(i, ${'y.z || '.repeat(120)}true)`,
    scope: { x: bigList, y: {} },
  },
  {
    name: 'addresses in a loop',
    expression: 'x.all(i, cidrContains("2001:db8::/32", y))',
    scope: { x: bigList, y: '2001:db8:1:2:3:4:5:6' },
  },
  {
    name: 'a network of a million characters',
    expression: 'x.all(i, cidrContains(y, y) || true)',
    scope: { x: bigList, y: bigText },
  },
  {
    name: 'times in a loop',
    expression: 'x.all(i, string(timestamp(y)) != "")',
    scope: { x: bigList, y: '2026-01-01T00:00:00Z' },
  },
  {
    name: 'no times in a loop',
    expression: 'x.all(i, timestamp(y) == y || true)',
    scope: { x: bigList, y: '2026-01-01T99:00:00Z' },
  },
  { name: 'keys in a loop', expression: 'x.all(i, y.exists(k, true))', scope: { x: bigList, y: keys } },
  { name: 'size of a map in a loop', expression: 'x.all(i, y.size() > 0)', scope: { x: bigList, y: keys } },
  {
    name: 'letters changed one by one',
    expression: 'x.all(i, y.lowerAscii() != "")',
    scope: { x: bigList, y: 'Aä'.repeat(500_000) },
  },
  {
    name: 'a format of percent signs',
    expression: 'x.all(i, y.format([]) != "")',
    scope: { x: bigList, y: '%%'.repeat(500_000) },
  },
  {
    name: 'quotes in a loop',
    expression: 'x.all(i, strings.quote(y) != "")',
    scope: { x: bigList, y: '\n"'.repeat(100) },
  },
  {
    name: 'no JSON in a loop',
    expression: 'x.all(i, parseJson(y) == 1 || true)',
    scope: { x: bigList, y: '['.repeat(90) },
  },
  {
    name: 'long numbers as JSON in a loop',
    expression: 'x.all(i, parseJson(y) != 1)',
    scope: { x: bigList, y: `[${'123456789012345678901,'.repeat(5000)}1]` },
  },
  { name: 'JSON of a million digits', expression: 'parseJson(x)', scope: { x: '9'.repeat(1_000_000) } },
  { name: 'a million digits as text', expression: 'string(x)', scope: { x: endless } },
  { name: 'a million digits as JSON', expression: 'json([x])', scope: { x: endless } },
  { name: 'a million digits formatted', expression: '"%d %s".format([x, x])', scope: { x: endless } },
  {
    name: 'a million digits multiplied',
    expression: 'x.all(i, y * y > 0 || true)',
    scope: { x: bigList, y: endless },
  },
  { name: 'trim of spaces', expression: '(x + "a" + x).trim()', scope: { x: ' '.repeat(100_000) } },
  { name: 'a timestamp of digits', expression: 'timestamp(x)', scope: { x: '1'.repeat(100_000) } },
  { name: 'an int of digits', expression: 'int(x)', scope: { x: '1'.repeat(100_000) } },
  { name: '10,000 parentheses', expression: '('.repeat(10_000) + '1' + ')'.repeat(10_000) },
  { name: '4,000 parentheses', expression: '('.repeat(4000) + '1' + ')'.repeat(4000) },
  { name: '4,000 open brackets', expression: '['.repeat(4000) },
  { name: '4,000 open braces', expression: '{1:'.repeat(2500) },
  { name: '8,000 minus signs', expression: `${'-'.repeat(8000)}x`, scope: { x: 1 } },
  { name: '8,000 exclamation marks', expression: `${'!'.repeat(8000)}x`, scope: { x: true } },
  { name: '2,000 ternaries', expression: `${'x?1:'.repeat(2000)}1`, scope: { x: true } },
  { name: '100,000 terms', expression: Array(100_000).fill('1').join('+') },
  { name: '4,000 terms', expression: Array(4000).fill('1').join('+') },
  { name: '200 terms', expression: Array(200).fill('1').join('+') },
  { name: '900 conditions', expression: Array(900).fill('x').join('||'), scope: { x: false } },
  { name: '2,000 fields', expression: `x${'.a'.repeat(2000)}`, scope: { x: {} } },
  { name: 'data 20,000 deep, read', expression: 'x.next.next.next != null', scope: { x: deep(20_000) } },
  { name: 'data 20,000 deep, compared', expression: 'x == y', scope: { x: deep(20_000), y: deep(20_000) } },
  { name: 'data 20,000 deep, as JSON', expression: 'json(x)', scope: { x: deep(20_000) } },
  { name: 'data 20,000 deep, returned', expression: 'x', scope: { x: deep(20_000) } },
  { name: 'data 20,000 deep, formatted', expression: '"%s".format([x])', scope: { x: deep(20_000) } },
  {
    name: 'data 20,000 deep, in a list',
    expression: 'x in [y]',
    scope: { x: deep(20_000), y: deep(20_000) },
  },
  { name: 'unclosed text', expression: `"${'a'.repeat(8000)}` },
  { name: 'escapes without end', expression: `"${'\\'.repeat(8001)}"` },
  { name: 'names without end', expression: Array(2000).fill('abc').join(' ') },
  {
    name: 'lone surrogates',
    expression: 'x.size() + x.reverse().size()',
    scope: { x: '\ud800'.repeat(1000) },
  },
]

/** A fraction of the fuel of an evaluation, so that several hundred take only seconds. */
const shareOfFuel = 20_000
const calls = everyFunction().map((each): Hostile => ({ ...each, fuel: shareOfFuel }))

for (const { name, expression, scope = {}, fuel } of [...corpus, ...calls]) {
  const start = processorTime()
  const names: Record<string, Type> = Object.fromEntries(Object.keys(scope).map((each) => [each, dyn]))
  const outcome = ending(expression, names, scope, fuel === undefined ? undefined : new Budget({ fuel }))
  const ms = Math.round(processorTime() - start)
  process.stdout.write(`${JSON.stringify({ name, outcome, ms } satisfies Outcome)}\n`)
}

function ending(
  expression: string,
  names: Record<string, Type>,
  scope: Readonly<Record<string, unknown>>,
  budget: Budget | undefined,
): string {
  try {
    const { program, problems } = compileExpression(expression, names)
    if (!program) return problems[0]?.code ?? 'crash'
    toJsonValue(program.evaluate(scope, budget))
    return 'value'
  } catch (error) {
    return error instanceof ExpressionError ? error.code : `crash: ${String(error)}`
  }
}
