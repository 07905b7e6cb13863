import QuickLRU from 'quick-lru'
import { hasFormOfTimeZone, isTimeZone, nearestTimeZone } from '../../../common/time-zones.ts'
import type { Meter } from '../../values/budget.ts'
import type { Span } from '../../values/errors.ts'
import { fixedOffsetOf, shorten } from '../../values/time.ts'
import { invalidArgument } from '../function.ts'

/** The clocks of a place. */
export interface ZoneRules {
  /** Seconds east of UTC at a point in time. */
  offsetAt(seconds: number, meter: Meter, span: Span): number
}

/** Fuel of reading the rules of a zone, once in an evaluation whether they are cached or not. */
const rulesFuel = 450
/** Fuel of finding the offset of a named zone. */
const offsetFuel = 12

const formats = new QuickLRU<string, Intl.DateTimeFormat>({ maxSize: 32 })

/** Reads `UTC`, an offset such as `+02:00`, or a name of the time zone database such as `Europe/Berlin`. */
export function zoneOf(name: string, meter: Meter, span: Span): ZoneRules {
  const fixed = fixedOffsetOf(name)
  if (fixed !== undefined) return { offsetAt: () => fixed }
  if (!hasFormOfTimeZone(name)) throw noZone(name, span)
  if (!meter.zones.has(name)) meter.spend(rulesFuel, span)
  meter.zones.add(name)
  const format = formatOf(name)
  if (format === undefined) throw noZone(name, span)
  return {
    offsetAt(seconds, payer, place) {
      payer.spend(offsetFuel, place)
      return offsetIn(format.format(seconds * 1000))
    },
  }
}

/** Undefined for a zone that does not exist. */
function formatOf(name: string): Intl.DateTimeFormat | undefined {
  const known = formats.get(name)
  if (known) return known
  try {
    const format = new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' })
    formats.set(name, format)
    return format
  } catch {
    return undefined
  }
}

/** Reads the end of `3/1/2026, GMT+01:00`; old offsets have seconds. */
function offsetIn(written: string): number {
  const [, sign, hours, minutes, seconds = '0'] = /GMT([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(written) ?? []
  if (sign === undefined) return 0
  const size = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)
  return sign === '-' ? -size : size
}

const noZone = (
  name: string,
  span: Span,
  hint = 'write UTC, an offset such as "+02:00", or a name such as "Europe/Berlin"',
) => invalidArgument(span, `'${shorten(name)}' is not a time zone`, hint)

/** Throws a fault for an invalid literal time zone, with the nearest valid name. */
export function tryZone(name: string, span: Span): void {
  if (fixedOffsetOf(name) !== undefined || isTimeZone(name)) return
  const near = name.length > 64 ? undefined : nearestTimeZone(name)
  throw noZone(name, span, near === undefined ? undefined : `did you mean ${near}?`)
}

const day = 86_400

/**
 * The instant, in seconds, of a local time in a zone. A local time that occurs twice gives the first instant.
 * A skipped local time moves forward by the size of the gap: 02:30 becomes 03:30.
 */
export function instantOf(local: number, zone: ZoneRules, meter: Meter, span: Span): number {
  const before = zone.offsetAt(local - day, meter, span)
  const behind = zone.offsetAt(local + day, meter, span)
  const first = local - Math.max(before, behind)
  const second = local - Math.min(before, behind)
  for (const instant of [first, second])
    if (instant + zone.offsetAt(instant, meter, span) === local) return instant
  return local - before
}
