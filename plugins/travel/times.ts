const dayMs = 86_400_000
/** Seconds since 1970 stay below this for thousands of years; milliseconds have been above it since 1973. */
const mostSeconds = 100_000_000_000
const isoTime = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+-]\d{2}:\d{2})?$/

/** Whole seconds since 1970, as the platform's parameters are. */
export const epochSeconds = (ms: number): number => Math.floor(ms / 1000)

/**
 * Epoch milliseconds of a time the platform gave: seconds or milliseconds since 1970, also as text, or ISO 8601. A local time without a
 * zone is read as UTC, as dates are. Null for what is no time.
 */
export function epochMs(value: unknown): number | null {
  if (typeof value === 'string') return textMs(value.trim())
  if (typeof value !== 'number' || !Number.isFinite(value)) return null
  return Math.abs(value) < mostSeconds ? value * 1000 : value
}

function textMs(text: string): number | null {
  if (/^\d{9,13}$/.test(text)) return epochMs(Number(text))
  const [, day, time, zone = 'Z'] = isoTime.exec(text) ?? []
  const ms = Date.parse(`${day}T${time}${zone}`)
  return Number.isNaN(ms) ? null : ms
}

/** The day's first moment in UTC, in epoch milliseconds; null for what is no date. */
export function dayStartMs(date: string | null): number | null {
  const ms = /^\d{4}-\d{2}-\d{2}/.test(date ?? '')
    ? Date.parse(`${date?.slice(0, 10)}T00:00:00Z`)
    : Number.NaN
  return Number.isNaN(ms) ? null : ms
}

/** The first moment of the day after it. */
export function dayEndMs(date: string | null): number | null {
  const start = dayStartMs(date)
  return start === null ? null : start + dayMs
}

/** The time as ISO 8601 in UTC; null for null, and for what no calendar holds. */
export function isoText(ms: number | null): string | null {
  return ms === null || Math.abs(ms) > 8.64e15 ? null : new Date(ms).toISOString()
}
