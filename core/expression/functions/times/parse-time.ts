import type { Meter } from '../../values/budget.ts'
import type { Span } from '../../values/errors.ts'
import { shorten, timestampOf } from '../../values/time.ts'
import type { Value } from '../../values/values.ts'
import { invalidArgument, stringArgument } from '../function.ts'
import { dayNames, monthNames, readTimePattern, type PatternPart } from './time-pattern.ts'
import { instantOf, zoneOf } from './zones.ts'

const longest = 200

/** The values that a pattern reads from a text. */
interface Fields {
  year?: number
  month?: number
  day?: number
  dayOfYear?: number
  hour?: number
  isAfternoon?: boolean
  minute?: number
  second?: number
  nanos?: number
  epoch?: number
  offset?: number
  zone?: string
}

interface Letter {
  /** Matches the value at the start of the remaining text. */
  readonly form: RegExp
  /** False for a value that is out of range. */
  readonly read: (fields: Fields, written: string) => boolean
}

type NumberField = 'year' | 'month' | 'day' | 'dayOfYear' | 'hour' | 'minute' | 'second'

const number = (form: RegExp, field: NumberField, least: number, most: number): Letter => ({
  form,
  read(fields, written) {
    fields[field] = Number(written)
    return fields[field] >= least && fields[field] <= most
  },
})

const name = (names: readonly string[], read: (fields: Fields, at: number) => void): Letter => ({
  // The whole name or its first three letters.
  form: new RegExp(`^(?:${names.map((each) => `${each.slice(0, 3)}(?:${each.slice(3)})?`).join('|')})`, 'i'),
  read(fields, written) {
    const start = written.slice(0, 3).toLowerCase()
    read(
      fields,
      names.findIndex((each) => each.toLowerCase().startsWith(start)),
    )
    return true
  },
})

const two = /^\d{1,2}/
const spaced = /^ ?\d{1,2}/
const month = name(monthNames, (fields, at) => (fields.month = at + 1))
/** The weekday follows from the date, and is not compared with it. */
const weekday = name(dayNames, () => undefined)
const day = number(spaced, 'day', 1, 31)

function fraction(fields: Fields, written: string): boolean {
  fields.nanos = Number(written.padEnd(9, '0'))
  return true
}

const letters: Readonly<Record<string, Letter>> = {
  Y: number(/^\d{4}/, 'year', 1, 9999),
  y: {
    form: /^\d{2}/,
    // As in POSIX: 69 is 1969, 68 is 2068.
    read(fields, written) {
      fields.year = Number(written) + (Number(written) < 69 ? 2000 : 1900)
      return true
    },
  },
  m: number(two, 'month', 1, 12),
  d: day,
  e: day,
  j: number(/^\d{1,3}/, 'dayOfYear', 1, 366),
  H: number(two, 'hour', 0, 23),
  I: number(two, 'hour', 1, 12),
  M: number(two, 'minute', 0, 59),
  S: number(two, 'second', 0, 59),
  f: { form: /^\d{1,9}/, read: fraction },
  L: { form: /^\d{3}/, read: fraction },
  p: {
    form: /^[ap]\.?m\.?/i,
    read(fields, written) {
      fields.isAfternoon = /^p/i.test(written)
      return true
    },
  },
  a: weekday,
  A: weekday,
  b: month,
  B: month,
  s: {
    form: /^-?\d{1,12}/,
    read(fields, written) {
      fields.epoch = Number(written)
      return true
    },
  },
  z: {
    form: /^(?:[zZ]|[+-]\d{2}(?::?\d{2})?)/,
    read(fields, written) {
      const [hours, minutes] = [written.slice(1, 3), written.slice(3).replace(':', '')].map(Number)
      const size = (hours! * 60 + minutes!) * 60
      fields.offset = written.startsWith('-') ? -size : size
      return hours! < 24 && minutes! < 60
    },
  },
  Z: {
    form: /^(?:[A-Za-z_]+(?:\/[\w+-]+)*|[+-]\d{2}:\d{2})/,
    read(fields, written) {
      fields.zone = written === 'GMT' ? 'UTC' : written
      return true
    },
  },
}

/** `parseTime(text, pattern[, zone])`. */
export function parseTime(
  meter: Meter,
  span: Span,
  value: Value,
  pattern: Value,
  zone: Value | undefined,
): Value {
  const [text, written] = [stringArgument(value, span), stringArgument(pattern, span)]
  if (text.length > longest) throw invalidArgument(span, `the time is longer than ${longest} characters`)
  meter.spend(4 + ((text.length + written.length) >>> 2), span)
  const parts = readTimePattern(written, span)
  checkParts(parts, span)
  const fields = readFields(text, written, parts, span)
  const name = fields.zone ?? (zone === undefined ? undefined : stringArgument(zone, span))
  if (fields.epoch !== undefined) return timestampOf(fields.epoch, fields.nanos ?? 0, span)
  const local = secondsOf(fields)
  if (local === undefined) throw invalidArgument(span, `'${shorten(text)}' has a date that does not exist`)
  const isFixed = fields.offset !== undefined || name === undefined
  const seconds = isFixed
    ? local - (fields.offset ?? 0)
    : instantOf(local, zoneOf(name, meter, span), meter, span)
  return timestampOf(seconds, fields.nanos ?? 0, span)
}

/** Throws a fault for a pattern that cannot be read, or that has no date. */
export function tryParsedPattern(pattern: string, span: Span): void {
  checkParts(readTimePattern(pattern, span), span)
}

function checkParts(parts: readonly PatternPart[], span: Span): void {
  const found = parts.flatMap(({ letter }) => letter ?? [])
  const stray = found.find((letter) => letters[letter] === undefined)
  if (stray !== undefined) throw invalidArgument(span, `%${stray} can only be written, not parsed`)
  if (found.some((letter) => 'Yys'.includes(letter))) return
  const hint =
    'add the year to the text: parseTime("2026 " + text, "%Y …"), or string(now.getFullYear()) + " " + text'
  throw invalidArgument(span, 'the pattern has no year', hint)
}

function readFields(text: string, pattern: string, parts: readonly PatternPart[], span: Span): Fields {
  const fields: Fields = {}
  let rest = text
  for (const part of parts) {
    const letter = part.letter === undefined ? undefined : letters[part.letter]!
    const length = letter ? (letter.form.exec(rest)?.[0].length ?? -1) : lengthOfText(part.text!, rest)
    const isRead = length >= 0 && letter?.read(fields, rest.slice(0, length)) !== false
    if (!isRead) {
      const wanted = part.letter === undefined ? `'${part.text}'` : `%${part.letter}`
      throw noFit(text, pattern, `expected ${wanted} at position ${text.length - rest.length}`, span)
    }
    rest = rest.slice(length)
  }
  if (rest.trim() !== '') throw noFit(text, pattern, `'${shorten(rest)}' is left over`, span)
  return fields
}

const noFit = (text: string, pattern: string, why: string, span: Span) =>
  invalidArgument(span, `'${shorten(text)}' does not fit the pattern '${shorten(pattern)}': ${why}`)

/** White space fits any white space. Negative if the text does not begin so. */
function lengthOfText(wanted: string, text: string): number {
  let at = 0
  for (const piece of wanted.split(/(\s+)/)) {
    if (piece === '') continue
    if (piece.trim() === '') {
      const spaces = /^\s+/.exec(text.slice(at))?.[0].length ?? 0
      if (spaces === 0) return -1
      at += spaces
    } else if (text.startsWith(piece, at)) at += piece.length
    else return -1
  }
  return at
}

/** The local time in seconds, as if it was UTC; undefined for a date that does not exist. */
function secondsOf(fields: Fields): number | undefined {
  const { year = 1970, month: given, day: written, dayOfYear, minute = 0, second = 0 } = fields
  const date = new Date(0)
  if (dayOfYear === undefined) date.setUTCFullYear(year, (given ?? 1) - 1, written ?? 1)
  else date.setUTCFullYear(year, 0, dayOfYear)
  if (date.getUTCFullYear() !== year || (dayOfYear === undefined && date.getUTCDate() !== (written ?? 1)))
    return undefined
  const { hour = 0, isAfternoon } = fields
  const hours = isAfternoon === undefined ? hour : (hour % 12) + (isAfternoon ? 12 : 0)
  return date.getTime() / 1000 + hours * 3600 + minute * 60 + second
}
