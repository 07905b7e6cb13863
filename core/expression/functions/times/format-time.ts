import type { Meter } from '../../values/budget.ts'
import type { Span } from '../../values/errors.ts'
import { parseTimestamp } from '../../values/time.ts'
import { Timestamp, type Value } from '../../values/values.ts'
import { stringArgument, wrongArgument } from '../function.ts'
import { dayNames, monthNames, readTimePattern, type PatternPart } from './time-pattern.ts'
import { zoneOf } from './zones.ts'

/** A point in time as the clocks of a zone show it. */
interface LocalTime {
  /** A date whose UTC fields contain the local time. */
  readonly date: Date
  readonly seconds: number
  readonly nanos: number
  readonly offset: number
  readonly zone: string
}

/** `time.format(pattern[, zone])`. */
export function formatTime(
  target: Value,
  pattern: Value,
  zone: Value | undefined,
  meter: Meter,
  span: Span,
): Value {
  const time = typeof target === 'string' ? parseTimestamp(target, span) : target
  if (!(time instanceof Timestamp)) throw wrongArgument(span, target, 'a timestamp')
  const written = stringArgument(pattern, span)
  meter.spend(2 + (written.length >>> 2), span)
  const name = zone === undefined ? 'UTC' : stringArgument(zone, span)
  const offset = zone === undefined ? 0 : zoneOf(name, meter, span).offsetAt(time.seconds, meter, span)
  const date = new Date((time.seconds + offset) * 1000)
  const local = { date, seconds: time.seconds, nanos: time.nanos, offset, zone: name }
  const text = readTimePattern(written, span)
    .map((part) => part.text ?? write(part, local))
    .join('')
  meter.allocateText(text.length, span)
  return text
}

function write({ letter, flag }: PatternPart, local: LocalTime): string {
  const value = fields[letter!]!(local)
  if (letter === 'z') return flag === ':' ? value : value.replace(':', '')
  return flag === '-' ? value.replace(/^[ 0]+(?=\d)/, '') : value
}

const digits = (value: number, count: number, fill = '0'): string => String(value).padStart(count, fill)

const fields: Readonly<Record<string, (local: LocalTime) => string>> = {
  Y: ({ date }) => digits(date.getUTCFullYear(), 4),
  y: ({ date }) => digits(date.getUTCFullYear() % 100, 2),
  m: ({ date }) => digits(date.getUTCMonth() + 1, 2),
  d: ({ date }) => digits(date.getUTCDate(), 2),
  e: ({ date }) => digits(date.getUTCDate(), 2, ' '),
  j: ({ date }) => digits(dayOfYear(date) + 1, 3),
  H: ({ date }) => digits(date.getUTCHours(), 2),
  I: ({ date }) => digits(date.getUTCHours() % 12 || 12, 2),
  M: ({ date }) => digits(date.getUTCMinutes(), 2),
  S: ({ date }) => digits(date.getUTCSeconds(), 2),
  f: ({ nanos }) => digits(Math.floor(nanos / 1000), 6),
  L: ({ nanos }) => digits(Math.floor(nanos / 1e6), 3),
  p: ({ date }) => (date.getUTCHours() < 12 ? 'AM' : 'PM'),
  a: ({ date }) => dayNames[date.getUTCDay()]!.slice(0, 3),
  A: ({ date }) => dayNames[date.getUTCDay()]!,
  b: ({ date }) => monthNames[date.getUTCMonth()]!.slice(0, 3),
  B: ({ date }) => monthNames[date.getUTCMonth()]!,
  u: ({ date }) => String(date.getUTCDay() || 7),
  z: ({ offset }) => writeOffset(offset),
  Z: ({ zone }) => (zone === '' || zone === 'Z' ? 'UTC' : zone),
  s: ({ seconds }) => String(seconds),
  G: ({ date }) => digits(thursdayOf(date).getUTCFullYear(), 4),
  V: ({ date }) => digits(Math.floor(dayOfYear(thursdayOf(date)) / 7) + 1, 2),
}

/** `+01:00`; old offsets lose their seconds. */
function writeOffset(offset: number): string {
  const minutes = Math.floor(Math.abs(offset) / 60)
  return `${offset < 0 ? '-' : '+'}${digits(Math.floor(minutes / 60), 2)}:${digits(minutes % 60, 2)}`
}

/** From 0. */
export function dayOfYear(date: Date): number {
  const first = new Date(0)
  first.setUTCFullYear(date.getUTCFullYear(), 0, 1)
  return Math.floor((date.getTime() - first.getTime()) / 86_400_000)
}

/** The Thursday of its week, whose year is the year of the ISO week. */
const thursdayOf = (date: Date): Date => new Date(date.getTime() + (4 - (date.getUTCDay() || 7)) * 86_400_000)
