import { nearest } from './nearest.ts'

/**
 * A region and a place (`Europe/Berlin`) or `UTC`: abbreviations are ambiguous, and offsets ignore daylight
 * saving time.
 */
const zonePattern = /^(?:UTC|[A-Za-z_]+(?:\/[A-Za-z0-9_+-]+)+)$/

/** Whether the text has the form of a time zone name. The zone need not exist. */
export const hasFormOfTimeZone = (name: string): boolean => name.length <= 64 && zonePattern.test(name)

/** Whether a time zone of exactly this name exists, including letter case. */
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

/**
 * The time zone probably meant: the same name in another letter case, the zone of a city, or the nearest
 * name.
 */
export function nearestTimeZone(name: string): string | undefined {
  const wanted = name.trim().toLowerCase().replaceAll(/\s+/g, '_')
  const cityOf = (zone: string): string => zone.slice(zone.lastIndexOf('/') + 1).toLowerCase()
  return (
    timeZones().find((zone) => zone.toLowerCase() === wanted) ??
    timeZones().find((zone) => cityOf(zone) === wanted) ??
    nearest(name, timeZones())
  )
}
