import type { Meter } from '../../values/budget.ts'
import type { Span } from '../../values/errors.ts'
import { add } from '../../values/operators.ts'
import { Duration, type Value } from '../../values/values.ts'
import {
  global,
  integerArgument,
  invalidArgument,
  listArgument,
  method,
  numberArgument,
  wrongArgument,
  type ExpressionFunction,
  type FunctionBody,
} from '../function.ts'
import { rank } from './order.ts'

const isEmpty = (name: string, span: Span) =>
  invalidArgument(span, `${name}: the list is empty`, 'check first, as in list.size() > 0 ? … : …')

/** The least or the greatest element; of equal ones the first. */
const extreme =
  (name: string, wanted: 1 | -1): FunctionBody =>
  (meter, span, target) => {
    const list = listArgument(target, span)
    if (list.length === 0) throw isEmpty(name, span)
    const { keys, compare } = rank(list, name, meter, span)
    meter.spend(list.length >>> 3, span)
    let best = 0
    for (let at = 1; at < keys.length; at++) if (compare(keys[at]!, keys[best]!) * wanted > 0) best = at
    return list[best]!
  }

/** The smallest or greatest of numbers, given as a list or as a single number. */
const extremeNumber = (name: string, wanted: 1 | -1): FunctionBody => {
  const ofList = extreme(name, wanted)
  return (meter, span, value, b, c, d) => {
    if (typeof value === 'number' || typeof value === 'bigint') return value
    for (const each of listArgument(value, span)) numberArgument(each, span)
    return ofList(meter, span, value, b, c, d)
  }
}

function sum(meter: Meter, span: Span, target: Value): Value {
  const list = listArgument(target, span)
  meter.spend(list.length >>> 2, span)
  let total: Value | undefined
  for (const each of list) {
    if (!(each instanceof Duration)) numberArgument(each, span)
    total = total === undefined ? each : add(total, each, meter, span)
  }
  return total ?? 0n
}

function average(meter: Meter, span: Span, target: Value): Value {
  const list = listArgument(target, span)
  if (list.length === 0) throw isEmpty('avg', span)
  meter.spend(list.length >>> 2, span)
  let total = 0
  for (const each of list) total += Number(numberArgument(each, span))
  return total / list.length
}

const whole =
  (change: (value: number) => number): FunctionBody =>
  (_meter, span, value) => {
    const number = numberArgument(value, span)
    return typeof number === 'bigint' ? number : change(number)
  }

/** More digits than a double holds. */
const maxDigits = 15

/** Halves are rounded away from zero. */
function round(_meter: Meter, span: Span, value: Value, digits: Value | undefined): Value {
  const number = numberArgument(value, span)
  const places = digits === undefined ? 0 : integerArgument(digits, span)
  if (places < 0 || places > maxDigits)
    throw invalidArgument(span, `math.round: digits are 0 to ${maxDigits}, found ${places}`)
  if (typeof number === 'bigint' || !Number.isFinite(number)) return number
  // Moving the point in the decimal notation avoids the error of a multiplication: 1.005 is 1.01.
  const moved = (size: number, by: number): number => {
    const [digitsOfSize, exponent = '0'] = String(size).split('e')
    return Number(`${digitsOfSize}e${Number(exponent) + by}`)
  }
  return Math.sign(number) * moved(Math.round(moved(Math.abs(number), places)), -places) + 0
}

function abs(_meter: Meter, span: Span, value: Value): Value {
  const number = numberArgument(value, span)
  if (typeof number === 'number') return Math.abs(number)
  // The least int has no positive counterpart.
  return number < 0n ? add(0n, -number, _meter, span) : number
}

function sign(_meter: Meter, span: Span, value: Value): Value {
  const number = numberArgument(value, span)
  if (typeof number === 'number') return Math.sign(number) + 0
  return number > 0n ? 1n : number < 0n ? -1n : 0n
}

function squareRoot(_meter: Meter, span: Span, value: Value): Value {
  return Math.sqrt(Number(numberArgument(value, span)))
}

const test =
  (check: (value: number) => boolean): FunctionBody =>
  (_meter, span, value) =>
    check(Number(numberArgument(value, span)))

/** An int, or a double without a fraction, as in JSON. */
function bits(value: Value, span: Span): bigint {
  if (typeof value === 'bigint' && BigInt.asIntN(64, value) === value) return value
  if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value)
  throw wrongArgument(span, value, 'a whole number of 64 bits')
}

const combine =
  (join: (left: bigint, right: bigint) => bigint): FunctionBody =>
  (_meter, span, left, right) =>
    join(bits(left, span), bits(right, span))

/** Shifts bits by 0 to 64 places; larger shifts give 0. */
const shift =
  (move: (value: bigint, by: bigint) => bigint): FunctionBody =>
  (_meter, span, value, places) => {
    const by = bits(places, span)
    if (by < 0n) throw invalidArgument(span, `cannot shift bits by ${by} places`)
    return by >= 64n ? 0n : BigInt.asIntN(64, move(bits(value, span), by))
  }

const wholes = ['int, int -> int']
const perNumber = ['number -> bool']

export const numberFunctions: readonly ExpressionFunction[] = [
  method('min', ['ordered -> element'], extreme('min', -1), { price: 2 }),
  method('max', ['ordered -> element'], extreme('max', 1), { price: 2 }),
  method('sum', ['summable -> sum'], sum, { price: 2 }),
  method('avg', ['numbers -> double'], average, { price: 2 }),
  global('math.least', ['numbers -> element', 'number -> same'], extremeNumber('math.least', -1), {
    price: 2,
  }),
  global('math.greatest', ['numbers -> element', 'number -> same'], extremeNumber('math.greatest', 1), {
    price: 2,
  }),
  global('math.ceil', ['number -> same'], whole(Math.ceil)),
  global('math.floor', ['number -> same'], whole(Math.floor)),
  global('math.trunc', ['number -> same'], whole(Math.trunc)),
  global('math.round', ['number -> same', 'number, int -> same'], round, { price: 2 }),
  global('math.abs', ['number -> same'], abs),
  global('math.sign', ['number -> same'], sign),
  global('math.sqrt', ['number -> double'], squareRoot),
  global('math.isNaN', perNumber, test(Number.isNaN)),
  global(
    'math.isInf',
    perNumber,
    test((value) => Math.abs(value) === Infinity),
  ),
  global('math.isFinite', perNumber, test(Number.isFinite)),
  global(
    'math.bitAnd',
    wholes,
    combine((left, right) => left & right),
  ),
  global(
    'math.bitOr',
    wholes,
    combine((left, right) => left | right),
  ),
  global(
    'math.bitXor',
    wholes,
    combine((left, right) => left ^ right),
  ),
  global('math.bitNot', ['int -> int'], (_meter, span, value) => ~bits(value, span)),
  global(
    'math.bitShiftLeft',
    wholes,
    shift((value, by) => value << by),
  ),
  global(
    'math.bitShiftRight',
    wholes,
    shift((value, by) => BigInt.asUintN(64, value) >> by),
  ),
]
