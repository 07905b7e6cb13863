import type { Zone } from './zone.ts'

const inBothZones = (
  locale: string,
  options: Intl.DateTimeFormatOptions,
): Readonly<Record<Zone, Intl.DateTimeFormat>> => ({
  local: new Intl.DateTimeFormat(locale, options),
  utc: new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' }),
})

const whole = inBothZones('sv-SE', { dateStyle: 'short', timeStyle: 'medium' })

const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
] as const

/** `5m ago`, `in 2d`, `now`. */
export function relativeTime(at: number, now: number): string {
  const difference = at - now
  for (const [unit, ms] of units)
    if (Math.abs(difference) >= ms) {
      const text = `${Math.trunc(Math.abs(difference) / ms)}${unit}`
      return difference < 0 ? `${text} ago` : `in ${text}`
    }
  return 'now'
}

const ofThisYear = inBothZones('en-GB', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
})
const yearOf = (date: Date, zone: Zone): number =>
  zone === 'utc' ? date.getUTCFullYear() : date.getFullYear()

/** `21 Nov 18:22:36`, with the year in front where it is another. */
export function exactTime(at: number, zone: Zone): string {
  const date = new Date(at)
  const isThisYear = yearOf(date, zone) === yearOf(new Date(), zone)
  return isThisYear ? ofThisYear[zone].format(date).replace(',', '') : whole[zone].format(date)
}

/** In UTC; as the number it is where that is no time. */
export function isoOf(at: number): string {
  const date = new Date(at)
  return Number.isNaN(date.getTime()) ? String(at) : date.toISOString()
}

/** `2026-11-21 18:22:36`: short, read alike everywhere, and in order when sorted. In UTC, as `isoOf`, where it is no time. */
export function wholeTime(at: number, zone: Zone): string {
  return Number.isNaN(new Date(at).getTime()) ? isoOf(at) : whole[zone].format(at)
}
