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

/** Fuel for reading a text as a time. */
const readingCost = 4

/** A text that stands beside a time, as a time of the same kind. Faults where it is none. */
export function readLike(text: string, time: Time, meter: Meter, span: Span): Time {
  meter.spend(readingCost, span)
  return time instanceof Timestamp ? parseTimestamp(text, span) : parseDuration(text, span)
}

/** Whether a text says the same as a time. */
export function namesTime(text: string, time: Time, meter: Meter, span: Span): boolean {
  const kind = kindOfTime(text)
  if (kind !== (time instanceof Timestamp ? 'timestamp' : 'duration')) return false
  return compareTimes(readLike(text, time, meter, span), time) === 0
}

/** Whether a text names a point in time or a duration. */
export function kindOfTime(text: string): 'timestamp' | 'duration' | undefined {
  if (hasFormOfTimestamp(text)) return timestampIn(text) && 'timestamp'
  return /^[-+.\dP]/.test(text) && nanosIn(text) !== undefined ? 'duration' : undefined
}

/** The time that a text names, of whatever kind; undefined where it names none. */
export function timeIn(text: string, meter: Meter, span: Span): Time | undefined {
  meter.spend(readingCost, span)
  const kind = kindOfTime(text)
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
