import type { Meter } from '../../values/budget.ts'
import type { Span } from '../../values/errors.ts'
import { timeIn } from '../../values/text-times.ts'
import { offsetOf, parseTimestamp } from '../../values/time.ts'
import { Duration, Timestamp, type Value } from '../../values/values.ts'
import { method, stringArgument, wrongArgument, type ExpressionFunction } from '../function.ts'

/** A part of a timestamp, in UTC or in the zone given. */
function part(name: string, read: (date: Date, nanos: number) => number, price = 2): ExpressionFunction {
  return method(
    name,
    ['timestamp -> int', 'timestamp, string -> int'],
    (_meter, span, target, zone) => ofTimestamp(target, zone, read, span),
    { tries: [undefined, offsetOf], price },
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
        : ofTimestamp(target, zone, read, span)
    },
    { tries: [undefined, offsetOf], price: 2 },
  )
}

function ofTimestamp(
  target: Value,
  zone: Value | undefined,
  read: (date: Date, nanos: number) => number,
  span: Span,
): bigint {
  const time = typeof target === 'string' ? parseTimestamp(target, span) : target
  if (!(time instanceof Timestamp)) throw wrongArgument(span, target, 'a timestamp')
  const offset = zone === undefined ? 0 : offsetOf(stringArgument(zone, span), span)
  return BigInt(read(new Date((time.seconds + offset) * 1000), time.nanos))
}

function dayOfYear(date: Date): number {
  const first = new Date(0)
  first.setUTCFullYear(date.getUTCFullYear(), 0, 1)
  return Math.floor((date.getTime() - first.getTime()) / 86_400_000)
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
]
