import type { Meter } from '../../values/budget.ts'
import type { Span } from '../../values/errors.ts'
import { timeIn } from '../../values/text-times.ts'
import { parseTimestamp } from '../../values/time.ts'
import { Duration, Timestamp, type Value } from '../../values/values.ts'
import { global, method, stringArgument, wrongArgument, type ExpressionFunction } from '../function.ts'
import { dayOfYear } from './format-time.ts'
import { parseTime, tryParsedPattern } from './parse-time.ts'
import { tryZone, zoneOf } from './zones.ts'

/** A part of a timestamp, in UTC or in the zone given. */
function part(name: string, read: (date: Date, nanos: number) => number, price = 2): ExpressionFunction {
  return method(
    name,
    ['timestamp -> int', 'timestamp, string -> int'],
    (meter, span, target, zone) => ofTimestamp(target, zone, read, meter, span),
    { tries: [undefined, tryZone], price },
  )
}

/** A part of a timestamp, or a whole duration in that unit. */
function unit(
  name: string,
  read: (date: Date, nanos: number) => number,
  total: (value: Duration) => number,
): ExpressionFunction {
  return method(
    name,
    ['timestamp -> int', 'timestamp, string -> int', 'duration -> int'],
    (meter: Meter, span: Span, target: Value, zone: Value | undefined): Value => {
      const time = typeof target === 'string' && zone === undefined ? timeIn(target, meter, span) : target
      return time instanceof Duration && zone === undefined
        ? BigInt(Math.trunc(total(time)))
        : ofTimestamp(target, zone, read, meter, span)
    },
    { tries: [undefined, tryZone], price: 2 },
  )
}

function ofTimestamp(
  target: Value,
  zone: Value | undefined,
  read: (date: Date, nanos: number) => number,
  meter: Meter,
  span: Span,
): bigint {
  const time = typeof target === 'string' ? parseTimestamp(target, span) : target
  if (!(time instanceof Timestamp)) throw wrongArgument(span, target, 'a timestamp')
  const { seconds } = time
  const offset =
    zone === undefined ? 0 : zoneOf(stringArgument(zone, span), meter, span).offsetAt(seconds, meter, span)
  return BigInt(read(new Date((seconds + offset) * 1000), time.nanos))
}

export const timeFunctions: readonly ExpressionFunction[] = [
  part('getFullYear', (date) => date.getUTCFullYear()),
  part('getMonth', (date) => date.getUTCMonth()),
  part('getDate', (date) => date.getUTCDate()),
  part('getDayOfMonth', (date) => date.getUTCDate() - 1),
  part('getDayOfWeek', (date) => date.getUTCDay()),
  part('getDayOfYear', dayOfYear, 4),
  unit(
    'getHours',
    (date) => date.getUTCHours(),
    (value) => value.seconds / 3600,
  ),
  unit(
    'getMinutes',
    (date) => date.getUTCMinutes(),
    (value) => value.seconds / 60,
  ),
  unit(
    'getSeconds',
    (date) => date.getUTCSeconds(),
    (value) => value.seconds,
  ),
  // For a duration, only the part below one second, as in CEL.
  unit(
    'getMilliseconds',
    (_date, nanos) => Math.floor(nanos / 1e6),
    (value) => value.nanos / 1e6,
  ),
  global('parseTime', ['string, string -> timestamp', 'string, string, string -> timestamp'], parseTime, {
    tries: [undefined, tryParsedPattern, tryZone],
    price: 10,
  }),
]
