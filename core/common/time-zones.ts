import { nearest } from './nearest.ts'

/** A region and a place (`Europe/Berlin`) or `UTC`: abbreviations are ambiguous, and offsets know no daylight saving. */
const zonePattern = /^(?:UTC|[A-Za-z_]+(?:\/[A-Za-z0-9_+-]+)+)$/

/** Whether it is written like a time zone, which need not exist. */
export const hasFormOfTimeZone = (name: string): boolean => name.length <= 64 && zonePattern.test(name)

/** Whether it names a time zone, in the letters of the time zone database. */
export function isTimeZone(name: string): boolean {
  if (!hasFormOfTimeZone(name)) return false
  try {
    new Date(0).toLocaleString('en', { timeZone: name })
  } catch {
    return false
  }
  const sameLetters = timeZones().find((zone) => zone.toLowerCase() === name.toLowerCase())
  return sameLetters === undefined || sameLetters === name
}

/** The names to suggest; more exist, such as `US/Eastern`. */
export const timeZones = (): readonly string[] => (zones ??= ['UTC', ...Intl.supportedValuesOf('timeZone')])
let zones: readonly string[] | undefined

/** The time zone that was probably meant: the same in other letters, or that of a city, or the nearest one. */
export function nearestTimeZone(name: string): string | undefined {
  const wanted = name.trim().toLowerCase().replaceAll(/\s+/g, '_')
  const cityOf = (zone: string): string => zone.slice(zone.lastIndexOf('/') + 1).toLowerCase()
  return (
    timeZones().find((zone) => zone.toLowerCase() === wanted) ??
    timeZones().find((zone) => cityOf(zone) === wanted) ??
    nearest(name, timeZones())
  )
}
