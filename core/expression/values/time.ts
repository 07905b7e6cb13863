import { Fault, type Span } from './errors.ts'
import { Duration, Timestamp } from './values.ts'

/** 0001-01-01T00:00:00Z and 9999-12-31T23:59:59Z. */
const firstSecond = -62_135_596_800
const lastSecond = 253_402_300_799
/** About 10,000 years, as in protobuf. */
const longestSeconds = 315_576_000_000
const nanosPerSecond = 1_000_000_000

const rfc3339 =
  /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/

/** Reads RFC 3339 text, such as `2026-03-01T08:00:00Z` or `2026-03-01T09:00:00.5+01:00`. */
export function parseTimestamp(text: string, span: Span): Timestamp {
  const found = timestampIn(text)
  if (found) return timestampOf(found.seconds, found.nanos, span)
  throw new Fault(
    'expression_invalid_argument',
    `'${shorten(text)}' is not a timestamp`,
    span,
    'write it like 2026-03-01T08:00:00Z',
  )
}

/** The point in time that a string denotes, of any year; undefined for other strings. */
export function timestampIn(text: string): Timestamp | undefined {
  const found = text.length <= 40 ? rfc3339.exec(text) : null
  if (!found) return undefined
  const [year, month, day, hour, minute, second] = found.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  date.setUTCHours(hour, minute, second)
  // Rejects days such as 30 February, and hours and minutes out of range, which roll over.
  const kept = date.getUTCMonth() === month - 1 && date.getUTCDate() === day && date.getUTCHours() === hour
  if (!kept || minute > 59 || second > 59 || Number(found[9] ?? 0) > 23 || Number(found[10] ?? 0) > 59)
    return undefined
  const offset = (Number(found[9] ?? 0) * 60 + Number(found[10] ?? 0)) * (found[8] === '-' ? -60 : 60)
  return new Timestamp(date.getTime() / 1000 - offset, Number((found[7] ?? '0').padEnd(9, '0')))
}

export function timestampOf(seconds: number, nanos: number, span: Span, hint?: string): Timestamp {
  if (seconds >= firstSecond && seconds <= lastSecond) return new Timestamp(seconds, nanos)
  throw new Fault('expression_overflow', 'the timestamp is outside of the years 1 to 9999', span, hint)
}

/** RFC 3339 in UTC, with the necessary fraction digits. */
export function formatTimestamp(value: Timestamp): string {
  const date = new Date(value.seconds * 1000)
  const year = String(date.getUTCFullYear()).padStart(4, '0')
  const [, rest] = /^[+-]?\d+(-.*)\.\d{3}Z$/.exec(date.toISOString())!
  return `${year}${rest}${formatFraction(value.nanos)}Z`
}

function formatFraction(nanos: number): string {
  return nanos === 0 ? '' : `.${String(nanos).padStart(9, '0').replace(/0+$/, '')}`
}

const unitNanos: Readonly<Record<string, bigint>> = {
  h: 3_600_000_000_000n,
  m: 60_000_000_000n,
  s: 1_000_000_000n,
  ms: 1_000_000n,
  us: 1000n,
  µs: 1000n,
  μs: 1000n,
  ns: 1n,
  d: 86_400_000_000_000n,
  w: 604_800_000_000_000n,
}
const durationPart = /(\d+(?:\.\d*)?|\.\d+)(h|ms|m|s|us|µs|μs|ns|d|w)/y
/** ISO 8601 as in the JSON Schema format `duration`, without months and years, which have no fixed length. */
const iso8601 = /^[+-]?P(?=\d|T\d)(\d+W)?(\d+D)?(T(?=\d)(\d+H)?(\d+M)?(\d+(\.\d+)?S)?)?$/

/** Reads text such as `90s`, `1h30m`, `-1.5h`, `2d` or `PT1H30M`; the units are w d h m s ms us ns. */
export function parseDuration(text: string, span: Span): Duration {
  const nanos = nanosIn(text)
  if (nanos !== undefined) return durationOfNanos(nanos, span)
  throw new Fault(
    'expression_invalid_argument',
    `'${shorten(text)}' is not a duration`,
    span,
    'write it like 90s, 30m or 1h30m',
  )
}

/** The duration in nanoseconds that a string denotes, of any length; undefined for other strings. */
export function nanosIn(text: string): bigint | undefined {
  if (text.length > 80) return undefined
  const sign = /^[+-]/.test(text) ? text.charAt(0) : ''
  const unsigned = text.slice(sign.length)
  const body = iso8601.test(text) ? unsigned.replace(/[PT]/g, '').toLowerCase() : unsigned
  if (body === '') return undefined
  let nanos = 0n
  let at = body === '0' ? 1 : 0
  while (at < body.length) {
    durationPart.lastIndex = at
    const found = durationPart.exec(body)
    if (!found) return undefined
    const [whole = '', fraction = ''] = found[1]!.split('.')
    const unit = unitNanos[found[2]!]!
    nanos += BigInt(whole || '0') * unit
    if (fraction) nanos += (BigInt(fraction) * unit) / 10n ** BigInt(fraction.length)
    at = durationPart.lastIndex
  }
  return sign === '-' ? -nanos : nanos
}

function durationOfNanos(nanos: bigint, span: Span): Duration {
  const perSecond = BigInt(nanosPerSecond)
  return durationOf(Number(nanos / perSecond), Number(nanos % perSecond), span)
}

/** Brings both parts to the same sign and checks the range. */
export function durationOf(seconds: number, nanos: number, span: Span): Duration {
  let whole = seconds + Math.trunc(nanos / nanosPerSecond)
  let rest = nanos % nanosPerSecond
  if (whole > 0 && rest < 0) {
    whole -= 1
    rest += nanosPerSecond
  } else if (whole < 0 && rest > 0) {
    whole += 1
    rest -= nanosPerSecond
  }
  if (Math.abs(whole) <= longestSeconds) return new Duration(whole + 0, rest + 0)
  throw new Fault('expression_overflow', 'the duration is longer than 10,000 years', span)
}

/** Seconds with an `s`, as in protobuf's JSON: `90s`, `-0.5s`. */
export function formatDuration(value: Duration): string {
  const sign = value.seconds < 0 || value.nanos < 0 ? '-' : ''
  return `${sign}${Math.abs(value.seconds)}${formatFraction(Math.abs(value.nanos))}s`
}

export function addToTimestamp(left: Timestamp, right: Duration, span: Span): Timestamp {
  const nanos = left.nanos + right.nanos
  const carry = Math.floor(nanos / nanosPerSecond)
  return timestampOf(left.seconds + right.seconds + carry, nanos - carry * nanosPerSecond, span)
}

export const addDurations = (left: Duration, right: Duration, span: Span): Duration =>
  durationOf(left.seconds + right.seconds, left.nanos + right.nanos, span)

export const betweenTimestamps = (left: Timestamp, right: Timestamp, span: Span): Duration =>
  durationOf(left.seconds - right.seconds, left.nanos - right.nanos, span)

export const negateDuration = (value: Duration): Duration =>
  new Duration(-value.seconds + 0, -value.nanos + 0)

export const compareTimes = (left: Timestamp | Duration, right: Timestamp | Duration): number =>
  left.seconds - right.seconds || left.nanos - right.nanos

const fixedOffset = /^([+-]?)(\d{2}):(\d{2})$/

/** Seconds east of UTC of `UTC`, `Z` or a fixed offset such as `+02:00`; undefined for other zones. */
export function fixedOffsetOf(zone: string): number | undefined {
  if (zone === 'UTC' || zone === 'Z' || zone === '') return 0
  const found = fixedOffset.exec(zone)
  if (!found || Number(found[2]) > 23 || Number(found[3]) > 59) return undefined
  return (Number(found[2]) * 60 + Number(found[3])) * (found[1] === '-' ? -60 : 60)
}

export const shorten = (text: string): string => (text.length <= 60 ? text : `${text.slice(0, 57)}…`)
