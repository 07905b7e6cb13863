import type { Meter } from '../values/budget.ts'
import { Fault, type Span } from '../values/errors.ts'
import { isMap } from '../values/operators.ts'
import {
  durationOf,
  formatDuration,
  formatTimestamp,
  parseDuration,
  parseTimestamp,
  shorten,
  timestampOf,
} from '../values/time.ts'
import {
  formatDouble,
  Duration,
  isList,
  keysOfMap,
  Timestamp,
  typeOfValue,
  TypeValue,
  type Value,
} from '../values/values.ts'
import { global, invalidArgument, method, wrongArgument, type ExpressionFunction } from './function.ts'
import { lengthOf } from './text/strings.ts'

function size(meter: Meter, span: Span, value: Value): Value {
  if (typeof value === 'string') return BigInt(lengthOf(value, meter, span))
  if (isList(value)) return BigInt(value.length)
  if (isMap(value)) {
    const keys = keysOfMap(value)
    meter.listKeys(keys.length, span)
    return BigInt(keys.length)
  }
  throw wrongArgument(span, value, 'string, list or map')
}

function toInt(_meter: Meter, span: Span, value: Value): Value {
  if (typeof value === 'bigint') return value
  if (typeof value === 'number') {
    // CEL also excludes the double just below 2^63.
    if (value > -(2 ** 63) && value < 2 ** 63) return BigInt(Math.trunc(value))
    throw new Fault('expression_overflow', `${formatDouble(value)} does not fit into 64 bits`, span)
  }
  if (value instanceof Timestamp) return BigInt(value.seconds)
  if (value instanceof Duration) return BigInt(value.seconds)
  if (typeof value !== 'string') throw wrongArgument(span, value, 'number, string, timestamp or duration')
  if (!/^[+-]?\d{1,20}$/.test(value)) throw invalidArgument(span, `'${shorten(value)}' is not an integer`)
  const found = BigInt(value.replace('+', ''))
  if (BigInt.asIntN(64, found) === found) return found
  throw new Fault('expression_overflow', `${value} does not fit into 64 bits`, span)
}

const decimal = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/
const specialDoubles: ReadonlyMap<string, number> = new Map([
  ['nan', NaN],
  ['inf', Infinity],
  ['+inf', Infinity],
  ['-inf', -Infinity],
  ['infinity', Infinity],
  ['+infinity', Infinity],
  ['-infinity', -Infinity],
])

function toDouble(meter: Meter, span: Span, value: Value): Value {
  if (typeof value === 'number') return value
  if (typeof value === 'bigint') return Number(value)
  if (typeof value !== 'string') throw wrongArgument(span, value, 'number or string')
  meter.read(value.length, span)
  if (value.length <= 400 && decimal.test(value)) return Number(value)
  const special = specialDoubles.get(shorten(value).toLowerCase())
  if (special !== undefined) return special
  throw invalidArgument(span, `'${shorten(value)}' is not a number`)
}

function toStringValue(meter: Meter, span: Span, value: Value): Value {
  if (typeof value === 'bigint') meter.writeInteger(value, span)
  const written = scalarText(value)
  if (written !== undefined) return written
  throw wrongArgument(span, value, 'string, number, bool, timestamp or duration')
}

/** A scalar as text; undefined for everything else, null included. */
export function scalarText(value: Value): string | undefined {
  if (typeof value === 'string') return value
  if (typeof value === 'number') return formatDouble(value)
  if (typeof value === 'bigint' || typeof value === 'boolean') return String(value)
  if (value instanceof Timestamp) return formatTimestamp(value)
  if (value instanceof Duration) return formatDuration(value)
  return value instanceof TypeValue ? value.name : undefined
}

const truths: ReadonlyMap<string, boolean> = new Map([
  ...['1', 't', 'T', 'true', 'TRUE', 'True'].map((word) => [word, true] as const),
  ...['0', 'f', 'F', 'false', 'FALSE', 'False'].map((word) => [word, false] as const),
])

function toBool(_meter: Meter, span: Span, value: Value): Value {
  if (typeof value === 'boolean') return value
  if (typeof value !== 'string') throw wrongArgument(span, value, 'bool or string')
  const found = truths.get(value)
  if (found === undefined)
    throw invalidArgument(span, `'${shorten(value)}' is neither true nor false`, 'compare the text: == "yes"')
  return found
}

function toTimestamp(_meter: Meter, span: Span, value: Value): Value {
  if (value instanceof Timestamp) return value
  if (typeof value === 'string') return parseTimestamp(value, span)
  const hint = 'it takes seconds since 1970: divide milliseconds by 1000'
  if (typeof value === 'bigint') return timestampOf(Number(value), 0, span, hint)
  if (typeof value !== 'number') throw wrongArgument(span, value, 'RFC 3339 text or seconds since 1970')
  const [seconds, nanos] = secondsAndNanos(value)
  return timestampOf(seconds, nanos, span, hint)
}

/**
 * Splits seconds into whole seconds and nanoseconds. The fraction is rounded to the precision of a double of
 * this size: nanoseconds in the first weeks, microseconds until the year 2106, then milliseconds.
 */
function secondsAndNanos(value: number): readonly [seconds: number, nanos: number] {
  const seconds = Math.floor(value)
  const size = Math.abs(value)
  const unit = size < 2 ** 22 ? 1e9 : size < 2 ** 32 ? 1e6 : 1e3
  const parts = Math.round((value - seconds) * unit)
  return parts < unit ? [seconds, parts * (1e9 / unit)] : [seconds + 1, 0]
}

function toDuration(_meter: Meter, span: Span, value: Value): Value {
  if (value instanceof Duration) return value
  if (typeof value === 'string') return parseDuration(value, span)
  if (typeof value !== 'number' && typeof value !== 'bigint') {
    throw wrongArgument(span, value, 'text such as 90s, or seconds')
  }
  const [seconds, nanos] = secondsAndNanos(Number(value))
  return durationOf(seconds, nanos, span)
}

const sizes = ['string -> int', 'list -> int', 'map -> int']

export const conversionFunctions: readonly ExpressionFunction[] = [
  global('size', sizes, size),
  method('size', sizes, size),
  global('int', ['number -> int', 'string -> int', 'timestamp -> int', 'duration -> int'], toInt),
  global('double', ['number -> double', 'string -> double'], toDouble, { price: 2 }),
  global(
    'string',
    ['string -> string', 'number -> string', 'bool -> string', 'timestamp -> string', 'duration -> string'],
    toStringValue,
    { price: 4 },
  ),
  global('bool', ['bool -> bool', 'string -> bool'], toBool),
  global('timestamp', ['string -> timestamp', 'timestamp -> timestamp', 'number -> timestamp'], toTimestamp, {
    tries: [parseTimestamp],
    price: 4,
  }),
  global('duration', ['string -> duration', 'duration -> duration', 'number -> duration'], toDuration, {
    tries: [parseDuration],
    price: 4,
  }),
  global('type', ['value -> type'], (_meter, _span, value) => typeOfValue(value)),
  global('dyn', ['value -> any'], (_meter, _span, value) => value),
]
