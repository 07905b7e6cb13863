import type { Meter } from './budget.ts'
import type { Span } from './errors.ts'
import { compareTimes, nanosIn, parseDuration, parseTimestamp, timestampIn } from './time.ts'
import { Duration, Timestamp, type Value } from './values.ts'

/**
 * In JSON times are text. What a text means is decided by what it is used with, never by what is known of its type: the same
 * expression must give the same value whoever checked it, and against whatever else.
 */
export type Time = Timestamp | Duration

export const isTime = (value: Value): value is Time => value instanceof Timestamp || value instanceof Duration

/** Pays for reading a text as a time: a duration may have many parts. */
const pay = (text: string, meter: Meter, span: Span): void =>
  meter.spend(hasFormOfTimestamp(text) ? 3 : 4 + (text.length >>> 2), span)

/** A text that stands beside a time, as a time of the same kind. Faults where it is none. */
export function readLike(text: string, time: Time, meter: Meter, span: Span): Time {
  if (text.length <= longestTime) pay(text, meter, span)
  return time instanceof Timestamp ? parseTimestamp(text, span) : parseDuration(text, span)
}

/** Whether a text says the same as a time. */
export function namesTime(text: string, time: Time, meter: Meter, span: Span): boolean {
  const isTimestamp = time instanceof Timestamp
  if (isTimestamp ? !hasFormOfTimestamp(text) : !hasFormOfDuration(text)) return false
  pay(text, meter, span)
  if (!isTimestamp) return nanosIn(text) === BigInt(time.seconds) * 1_000_000_000n + BigInt(time.nanos)
  const named = timestampIn(text)
  return named !== undefined && compareTimes(named, time) === 0
}

/** Whether a text names a point in time or a duration. */
export function kindOfTime(text: string): 'timestamp' | 'duration' | undefined {
  if (hasFormOfTimestamp(text)) return timestampIn(text) && 'timestamp'
  return hasFormOfDuration(text) && nanosIn(text) !== undefined ? 'duration' : undefined
}

/** The same, paid. */
export function findKindOfTime(text: string, meter: Meter, span: Span): 'timestamp' | 'duration' | undefined {
  if (text.length > longestTime) return undefined
  pay(text, meter, span)
  return kindOfTime(text)
}

/** The time that a text names, of whatever kind; undefined where it names none. */
export function timeIn(text: string, meter: Meter, span: Span): Time | undefined {
  const kind = findKindOfTime(text, meter, span)
  if (kind === undefined) return undefined
  return kind === 'timestamp' ? parseTimestamp(text, span) : parseDuration(text, span)
}

/** The order of two texts that both name a point in time, or both are durations as expressions write them; else undefined. */
export function compareTimesIn(left: string, right: string, meter: Meter, span: Span): number | undefined {
  const areDurations = ownDuration.test(left) && ownDuration.test(right)
  if (!areDurations && !(hasFormOfTimestamp(left) && hasFormOfTimestamp(right))) return undefined
  const [a, b] = [timeIn(left, meter, span), timeIn(right, meter, span)]
  return a && b && compareTimes(a, b)
}

/** Only the form that a duration gets in JSON: in others, text that means something else might be taken for one. */
const ownDuration = /^-?(?:0|[1-9]\d{0,11})(?:\.\d{0,8}[1-9])?s$/

/** Whether two texts that differ name the same point in time, as with another offset. */
export function nameSameInstant(left: string, right: string, meter: Meter, span: Span): boolean {
  if (!hasFormOfTimestamp(left) || !hasFormOfTimestamp(right)) return false
  // In UTC, with as many digits, each instant is written in one way.
  if (left.length === right.length && left.endsWith('Z') && right.endsWith('Z') && left[10] === right[10])
    return false
  return compareTimesIn(left, right, meter, span) === 0
}

/** Longer texts name no time. */
const longestTime = 80

const hasFormOfDuration = (text: string): boolean => text.length <= longestTime && /^[-+.\dP]/.test(text)

const [hyphen, t] = ['-'.charCodeAt(0), 't'.charCodeAt(0)]

function hasFormOfTimestamp(text: string): boolean {
  return (
    text.length >= 20 &&
    text.length <= 40 &&
    text.charCodeAt(4) === hyphen &&
    text.charCodeAt(7) === hyphen &&
    (text.charCodeAt(10) | 32) === t
  )
}
