import type { Meter } from './budget.ts'
import { Fault, type Span } from './errors.ts'
import {
  isTime,
  compareTimesIn,
  findKindOfTime,
  namesTime,
  nameSameInstant,
  readLike,
  timeIn,
} from './text-times.ts'
import { addDurations, addToTimestamp, betweenTimestamps, compareTimes, negateDuration } from './time.ts'
import {
  Duration,
  entryOf,
  isList,
  isPlainObject,
  keysOfMap,
  kindOfValue,
  MapValue,
  Optional,
  Timestamp,
  toKey,
  TypeValue,
  type ObjectValue,
  type Value,
} from './values.ts'

/** Maximum nesting of lists and maps that are compared or written as JSON. */
export const maxValueDepth = 200

/** Checks that an int fits into 64 bits. */
function checkedInt(value: bigint, span: Span): bigint {
  if (BigInt.asIntN(64, value) === value) return value
  const shown = isShort(value) ? `${value} does` : 'an integer of the data does'
  throw new Fault('expression_overflow', `${shown} not fit into 64 bits`, span)
}

const isShort = (value: bigint): boolean => BigInt.asIntN(256, value) === value

function wrongOperands(operator: string, left: Value, right: Value, span: Span): Fault {
  return new Fault(
    'expression_wrong_type',
    `${operator} does not work on ${kindOfValue(left)} and ${kindOfValue(right)}`,
    span,
    hintFor(operator, left, right),
  )
}

function hintFor(operator: string, left: Value, right: Value): string | undefined {
  const kinds = [left, right]
  if (kinds.includes(null)) return 'one side is null: compare it with != null first'
  const text = kinds.some((value) => typeof value === 'string')
  if (!text) return undefined
  if (kinds.some((value) => value instanceof Timestamp)) return 'convert the text with timestamp(…)'
  if (kinds.some((value) => value instanceof Duration)) return 'convert the text with duration(…)'
  if (operator === '+') return 'convert the other side with string(…)'
  return kinds.some(isNumber) ? 'convert the text with double(…) or int(…)' : undefined
}

const isNumber = (value: Value): value is number | bigint =>
  typeof value === 'number' || typeof value === 'bigint'

export function add(left: Value, right: Value, meter: Meter, span: Span): Value {
  if (typeof left === 'string' && typeof right === 'string') {
    meter.allocateText(left.length + right.length, span)
    return left + right
  }
  if (typeof left === 'bigint' && typeof right === 'bigint') return checkedInt(left + right, span)
  if (isNumber(left) && isNumber(right)) return Number(left) + Number(right)
  if (isList(left) && isList(right)) {
    const size = left.length + right.length
    meter.spend(1 + (size >>> 3), span)
    meter.allocate(16 + size * 16, span)
    return [...left, ...right]
  }
  if (left instanceof Timestamp && right instanceof Duration) return addToTimestamp(left, right, span)
  if (left instanceof Duration && right instanceof Timestamp) return addToTimestamp(right, left, span)
  if (left instanceof Duration && right instanceof Duration) return addDurations(left, right, span)
  if (isTime(left) && typeof right === 'string') {
    const time = timeIn(right, meter, span)
    if (time) return add(left, time, meter, span)
  }
  if (typeof left === 'string' && isTime(right)) {
    const time = timeIn(left, meter, span)
    if (time) return add(time, right, meter, span)
  }
  throw wrongOperands('+', left, right, span)
}

export function subtract(left: Value, right: Value, meter: Meter, span: Span): Value {
  if (typeof left === 'bigint' && typeof right === 'bigint') return checkedInt(left - right, span)
  if (isNumber(left) && isNumber(right)) return Number(left) - Number(right)
  if (left instanceof Timestamp) {
    if (right instanceof Timestamp) return betweenTimestamps(left, right, span)
    if (right instanceof Duration) return addToTimestamp(left, negateDuration(right), span)
  }
  if (left instanceof Duration && right instanceof Duration) {
    return addDurations(left, negateDuration(right), span)
  }
  // Only times can be subtracted from times, so strings are read as times, even on both sides.
  if ([left, right].every((value) => isTime(value) || typeof value === 'string')) {
    const [a, b] = [left, right].map((value) =>
      typeof value === 'string' ? timeIn(value, meter, span) : value,
    )
    if (a !== undefined && b !== undefined) return subtract(a, b, meter, span)
  }
  throw wrongOperands('-', left, right, span)
}

export function multiply(left: Value, right: Value, span: Span): Value {
  if (typeof left === 'bigint' && typeof right === 'bigint')
    return checkedInt(checkedInt(left, span) * checkedInt(right, span), span)
  if (isNumber(left) && isNumber(right)) return Number(left) * Number(right)
  throw wrongOperands('*', left, right, span)
}

/** Two ints divide to an int, towards zero; with a double the result is a double. */
export function divide(left: Value, right: Value, span: Span): Value {
  if (typeof left === 'bigint' && typeof right === 'bigint') {
    if (right === 0n) throw new Fault('expression_divide_by_zero', 'division by zero', span)
    return checkedInt(checkedInt(left, span) / right, span)
  }
  if (isNumber(left) && isNumber(right)) return Number(left) / Number(right)
  throw wrongOperands('/', left, right, span)
}

/** Whole JSON numbers count as integers; doubles with a fraction do not. */
export function modulo(left: Value, right: Value, span: Span): Value {
  if (!isNumber(left) || !isNumber(right)) throw wrongOperands('%', left, right, span)
  if (typeof left === 'bigint' && typeof right === 'bigint') {
    if (right === 0n) throw new Fault('expression_divide_by_zero', 'modulus by zero', span)
    return checkedInt(left, span) % right
  }
  const [dividend, divisor] = [Number(left), Number(right)]
  if (!Number.isSafeInteger(dividend) || !Number.isSafeInteger(divisor)) {
    throw new Fault('expression_wrong_type', '% works on whole numbers only', span)
  }
  if (divisor === 0) throw new Fault('expression_divide_by_zero', 'modulus by zero', span)
  return (dividend % divisor) + 0
}

export function negate(value: Value, span: Span): Value {
  if (typeof value === 'bigint') return checkedInt(-value, span)
  if (typeof value === 'number') return -value
  throw new Fault('expression_wrong_type', `- does not work on ${kindOfValue(value)}`, span)
}

/** Negative, zero or positive; NaN for NaN, so that every comparison is false. */
export function compare(operator: string, left: Value, right: Value, meter: Meter, span: Span): number {
  if (isNumber(left) && isNumber(right)) {
    return left < right ? -1 : left > right ? 1 : Number.isNaN(left) || Number.isNaN(right) ? NaN : 0
  }
  if (typeof left === 'string' && typeof right === 'string') {
    meter.search(Math.min(left.length, right.length), span)
    return compareTimesIn(left, right, meter, span) ?? compareText(left, right)
  }
  if (typeof left === 'boolean' && typeof right === 'boolean') return Number(left) - Number(right)
  if (left instanceof Timestamp && right instanceof Timestamp) return compareTimes(left, right)
  if (left instanceof Duration && right instanceof Duration) return compareTimes(left, right)
  if (typeof left === 'string' && isTime(right))
    return compareTimes(readLike(left, right, meter, span), right)
  if (isTime(left) && typeof right === 'string') return compareTimes(left, readLike(right, left, meter, span))
  throw wrongOperands(operator, left, right, span)
}

/**
 * By code point, not by UTF-16 unit: the two differ where one side has a surrogate and the other U+E000 to
 * U+FFFF.
 */
export function compareText(left: string, right: string): number {
  if (left === right) return 0
  const shorter = Math.min(left.length, right.length)
  let at = 0
  while (at < shorter && left.charCodeAt(at) === right.charCodeAt(at)) at++
  if (at === shorter) return left.length - right.length
  const [a, b] = [left.charCodeAt(at), right.charCodeAt(at)]
  const [aPair, bPair] = [isSurrogate(a), isSurrogate(b)]
  return aPair === bPair ? a - b : aPair ? 1 : -1
}

const isSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdfff

/**
 * Deep equality as in CEL: numbers compare by value across types; values of other different types are never
 * equal, except times and their text.
 */
export function equals(left: Value, right: Value, meter: Meter, span: Span, depth = 0): boolean {
  if (typeof left === 'string') {
    if (typeof right !== 'string') return isTime(right) && namesTime(left, right, meter, span)
    if (left.length === right.length) meter.read(left.length, span)
    return left === right || nameSameInstant(left, right, meter, span)
  }
  if (typeof right === 'string') return isTime(left) && namesTime(right, left, meter, span)
  if (isNumber(left)) return isNumber(right) && equalNumbers(left, right)
  if (typeof left === 'boolean' || left === null || right === null) return left === right
  return typeof right === 'object' && equalObjects(left, right, meter, span, depth)
}

function equalNumbers(left: number | bigint, right: number | bigint): boolean {
  if (typeof left === 'bigint') return typeof right === 'bigint' ? left === right : equalsDouble(left, right)
  return typeof right === 'bigint' ? equalsDouble(right, left) : left === right
}

function equalsDouble(whole: bigint, double: number): boolean {
  return Number(whole) === double && (Number.isSafeInteger(double) || BigInt(double) === whole)
}

function equalObjects(
  left: Value & object,
  right: Value & object,
  meter: Meter,
  span: Span,
  depth: number,
): boolean {
  if (isList(left)) return isList(right) && equalLists(left, right, meter, span, depth)
  if (isList(right)) return false
  if (left instanceof Timestamp) return right instanceof Timestamp && compareTimes(left, right) === 0
  if (left instanceof Duration) return right instanceof Duration && compareTimes(left, right) === 0
  if (left instanceof TypeValue) return right instanceof TypeValue && left.name === right.name
  if (left instanceof Optional) {
    if (!(right instanceof Optional)) return false
    if (left.value === undefined || right.value === undefined) return left.value === right.value
    return equals(left.value, right.value, meter, span, depth + 1)
  }
  if (!isMap(left) || !isMap(right)) return false
  const keys = keysOfMap(left)
  meter.listKeys(keys.length, span)
  const others = keysOfMap(right).length
  meter.listKeys(others, span)
  if (keys.length !== others) return false
  guardDepth(depth, span)
  return keys.every((key) => {
    const other = entryOf(right, key)
    return other !== undefined && equals(entryOf(left, key)!, other, meter, span, depth + 1)
  })
}

function equalLists(
  left: readonly Value[],
  right: readonly Value[],
  meter: Meter,
  span: Span,
  depth: number,
): boolean {
  if (left.length !== right.length) return false
  guardDepth(depth, span)
  meter.spend(left.length, span)
  return left.every((value, at) => equals(value, right[at]!, meter, span, depth + 1))
}

export function guardDepth(depth: number, span: Span): void {
  if (depth <= maxValueDepth) return
  throw new Fault('expression_too_deep', `the value is nested deeper than ${maxValueDepth} levels`, span)
}

export const isMap = (value: Value | undefined): value is ObjectValue | MapValue =>
  value instanceof MapValue || isPlainObject(value)

/** `element in list`, `key in map`. */
export function isIn(element: Value, container: Value, meter: Meter, span: Span): boolean {
  if (isList(container)) {
    meter.spend(container.length >>> 3, span)
    if (typeof element === 'string') {
      // All elements may share a long common prefix.
      meter.read(element.length * container.length, span)
      if (container.includes(element)) return true
      // Two different strings can be equal only if both are times.
      if (findKindOfTime(element, meter, span) === undefined) return false
    }
    meter.spend(container.length >>> 3, span)
    return container.some((each) => equals(element, each, meter, span))
  }
  if (isMap(container)) {
    const key = toKey(element)
    return key !== undefined && entryOf(container, key) !== undefined
  }
  throw wrongOperands('in', element, container, span)
}

/** `container[key]`; undefined if there is no such element or entry. */
export function lookUp(container: Value, key: Value, span: Span): Value | undefined {
  if (isList(container)) {
    if (typeof key === 'bigint' || (typeof key === 'number' && Number.isInteger(key))) {
      return key >= 0 && key < container.length ? container[Number(key)] : undefined
    }
    throw new Fault('expression_wrong_type', `a list has no index of type ${kindOfValue(key)}`, span)
  }
  if (isMap(container)) {
    const mapKey = toKey(key)
    if (mapKey !== undefined) return entryOf(container, mapKey)
    if (typeof key === 'number') return undefined
    throw new Fault('expression_wrong_type', `a map has no key of type ${kindOfValue(key)}`, span)
  }
  throw new Fault('expression_wrong_type', `${kindOfValue(container)} has no [${kindOfValue(key)}]`, span)
}
