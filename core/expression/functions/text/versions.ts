import type { Meter } from '../../values/budget.ts'
import type { Span } from '../../values/errors.ts'
import { shorten } from '../../values/time.ts'
import type { Value } from '../../values/values.ts'
import {
  global,
  invalidArgument,
  method,
  stringArgument,
  wrongArgument,
  type ExpressionFunction,
  type FunctionBody,
} from '../function.ts'

interface Version {
  readonly numbers: readonly bigint[]
  /** The parts after `-`; empty for a release. */
  readonly preRelease: readonly string[]
}

const longest = 256
/** Semantic Versioning 2.0.0. */
const semantic =
  /^(?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*)){2}(?:-(?:0|[1-9]\d*|\d*[a-zA-Z-][\da-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][\da-zA-Z-]*))*)?(?:\+[\da-zA-Z-]+(?:\.[\da-zA-Z-]+)*)?$/
/** Any version of numbers with dots, such as `v1.2`, `10.0.19045.4291` or `1.2.3-rc.1+build`. */
const dotted = /^[vV]?(\d+(?:\.\d+)*)(?:-([\da-zA-Z-]+(?:\.[\da-zA-Z-]+)*))?(?:\+[\da-zA-Z.-]+)?$/

function versionIn(text: string): Version | undefined {
  const found = text.length <= longest ? dotted.exec(text) : null
  if (!found) return undefined
  return { numbers: found[1]!.split('.').map(BigInt), preRelease: found[2]?.split('.') ?? [] }
}

function version(value: Value, span: Span): Version {
  const text = stringArgument(value, span)
  const found = versionIn(text)
  if (found) return found
  throw invalidArgument(span, `'${shorten(text)}' is not a version`, 'write it like 1.2.3 or 1.2.3-rc.1')
}

/** Missing numbers count as zero, and a pre-release is lower than its release. */
function compare(left: Version, right: Version): number {
  const length = Math.max(left.numbers.length, right.numbers.length)
  for (let at = 0; at < length; at++) {
    const order = sign(left.numbers[at] ?? 0n, right.numbers[at] ?? 0n)
    if (order !== 0) return order
  }
  const [before, behind] = [left.preRelease, right.preRelease]
  if (before.length === 0 || behind.length === 0) return Math.sign(behind.length - before.length)
  for (let at = 0; at < Math.min(before.length, behind.length); at++) {
    const order = comparePart(before[at]!, behind[at]!)
    if (order !== 0) return order
  }
  return Math.sign(before.length - behind.length)
}

const sign = <T extends bigint | string>(left: T, right: T): number =>
  left < right ? -1 : left > right ? 1 : 0

/** Numbers are lower than words. */
function comparePart(left: string, right: string): number {
  const [isNumber, isOtherNumber] = [/^\d+$/.test(left), /^\d+$/.test(right)]
  if (isNumber && isOtherNumber) return sign(BigInt(left), BigInt(right))
  return isNumber === isOtherNumber ? sign(left, right) : isNumber ? -1 : 1
}

/** As in Kubernetes: without `v` and leading zeros, and with three numbers. */
function normalized(text: string): string {
  const found = /^v?(\d+)(?:\.(\d+))?(?:\.(\d+)([-+].*)?)?$/.exec(text)
  if (!found) return text
  const numbers = found.slice(1, 4).map((part: string | undefined) => String(BigInt(part ?? 0)))
  return numbers.join('.') + (found[4] ?? '')
}

/** The text, normalized on request, if it is a semantic version. */
function semverIn(value: Value, flag: Value | undefined, span: Span): string | undefined {
  const source = stringArgument(value, span)
  if (flag !== undefined && typeof flag !== 'boolean') throw wrongArgument(span, flag, 'bool')
  if (source.length > longest) return undefined
  const text = flag === true ? normalized(source) : source
  return semantic.test(text) ? text : undefined
}

function semver(_meter: Meter, span: Span, value: Value, flag: Value | undefined): Value {
  const found = semverIn(value, flag, span)
  if (found !== undefined) return found
  const hint = 'semver(text, true) also takes v1.2 and leading zeros'
  throw invalidArgument(span, `'${shorten(stringArgument(value, span))}' is not a semantic version`, hint)
}

const compared =
  (test: (order: number) => Value): FunctionBody =>
  (_meter, span, left, right) =>
    test(compare(version(left, span), version(right, span)))

const numberAt =
  (index: number): FunctionBody =>
  (_meter, span, value) => {
    const number = version(value, span).numbers[index] ?? 0n
    if (BigInt.asIntN(64, number) === number) return number
    throw invalidArgument(span, 'the number of the version does not fit into 64 bits')
  }

const tries = [version, version]

export const versionFunctions: readonly ExpressionFunction[] = [
  global('semver', ['string -> string', 'string, bool -> string'], semver, { price: 3 }),
  global(
    'isSemver',
    ['string -> bool', 'string, bool -> bool'],
    (_meter, span, value, flag) => semverIn(value, flag, span) !== undefined,
    { price: 3 },
  ),
  method(
    'compareTo',
    ['string, string -> int'],
    compared((order) => BigInt(order)),
    { tries, price: 6 },
  ),
  method(
    'isLessThan',
    ['string, string -> bool'],
    compared((order) => order < 0),
    { tries, price: 6 },
  ),
  method(
    'isGreaterThan',
    ['string, string -> bool'],
    compared((order) => order > 0),
    { tries, price: 6 },
  ),
  method('major', ['string -> int'], numberAt(0), { tries, price: 3 }),
  method('minor', ['string -> int'], numberAt(1), { tries, price: 3 }),
  method('patch', ['string -> int'], numberAt(2), { tries, price: 3 }),
]
