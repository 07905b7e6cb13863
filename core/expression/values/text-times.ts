import type { Meter } from './budget.ts'
import type { Span } from './errors.ts'
import { compareTimes, nanosIn, parseDuration, parseTimestamp, timestampIn } from './time.ts'
import { Duration, Timestamp, type Value } from './values.ts'

/**
 * In JSON times are strings. A string counts as a time if it is used with a time, regardless of its static
 * type: an expression must give the same value with every catalogue.
 */
export type Time = Timestamp | Duration

export const isTime = (value: Value): value is Time => value instanceof Timestamp || value instanceof Duration

/** Pays for parsing a time: a duration may have many parts. */
const pay = (text: string, meter: Meter, span: Span): void =>
  meter.spend(hasFormOfTimestamp(text) ? 3 : 4 + (text.length >>> 2), span)

/** Parses a string used with a time as the same kind of time. Throws a fault if it is none. */
export function readLike(text: string, time: Time, meter: Meter, span: Span): Time {
  if (text.length <= longestTime) pay(text, meter, span)
  return time instanceof Timestamp ? parseTimestamp(text, span) : parseDuration(text, span)
}

/** Whether a string denotes the same time. */
export function namesTime(text: string, time: Time, meter: Meter, span: Span): boolean {
  const isTimestamp = time instanceof Timestamp
  if (isTimestamp ? !hasFormOfTimestamp(text) : !hasFormOfDuration(text)) return false
  pay(text, meter, span)
  if (!isTimestamp) return nanosIn(text) === BigInt(time.seconds) * 1_000_000_000n + BigInt(time.nanos)
  const named = timestampIn(text)
  return named !== undefined && compareTimes(named, time) === 0
}

/** The kind of time that a string denotes. */
export function kindOfTime(text: string): 'timestamp' | 'duration' | undefined {
  if (hasFormOfTimestamp(text)) return timestampIn(text) && 'timestamp'
  return hasFormOfDuration(text) && nanosIn(text) !== undefined ? 'duration' : undefined
}

/** The same, with its cost. */
export function findKindOfTime(text: string, meter: Meter, span: Span): 'timestamp' | 'duration' | undefined {
  if (text.length > longestTime) return undefined
  pay(text, meter, span)
  return kindOfTime(text)
}

/** The timestamp or duration that a string denotes; undefined for other strings. */
export function timeIn(text: string, meter: Meter, span: Span): Time | undefined {
  const kind = findKindOfTime(text, meter, span)
  if (kind === undefined) return undefined
  return kind === 'timestamp' ? parseTimestamp(text, span) : parseDuration(text, span)
}

/** The order of two strings that both denote timestamps, or durations in JSON form; else undefined. */
export function compareTimesIn(left: string, right: string, meter: Meter, span: Span): number | undefined {
  const areDurations = ownDuration.test(left) && ownDuration.test(right)
  if (!areDurations && !(hasFormOfTimestamp(left) && hasFormOfTimestamp(right))) return undefined
  const [a, b] = [timeIn(left, meter, span), timeIn(right, meter, span)]
  return a && b && compareTimes(a, b)
}

/** Only the JSON form of a duration: other forms are ambiguous with ordinary text. */
const ownDuration = /^-?(?:0|[1-9]\d{0,11})(?:\.\d{0,8}[1-9])?s$/

/** Whether two different strings denote the same point in time, such as with another offset. */
export function nameSameInstant(left: string, right: string, meter: Meter, span: Span): boolean {
  if (!hasFormOfTimestamp(left) || !hasFormOfTimestamp(right)) return false
  // In UTC and with the same number of digits, each instant has one notation.
  if (left.length === right.length && left.endsWith('Z') && right.endsWith('Z') && left[10] === right[10])
    return false
  return compareTimesIn(left, right, meter, span) === 0
}

/** Maximum length of a time. */
const longestTime = 80

const hasFormOfDuration = (text: string): boolean => text.length <= longestTime && /^[-+.\dP]/.test(text)

const [hyphen, t] = ['-'.charCodeAt(0), 't'.charCodeAt(0)]

export function hasFormOfTimestamp(text: string): boolean {
  return (
    text.length >= 20 &&
    text.length <= 40 &&
    text.charCodeAt(4) === hyphen &&
    text.charCodeAt(7) === hyphen &&
    (text.charCodeAt(10) | 32) === t
  )
}
