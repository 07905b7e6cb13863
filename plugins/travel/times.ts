const dayMs = 86_400_000
/** Seconds since 1970 stay below this for thousands of years; milliseconds have been above it since 1973. */
const mostSeconds = 100_000_000_000

/** Whole seconds since 1970, as the platform's parameters are. */
export const epochSeconds = (ms: number): number => Math.floor(ms / 1000)

/** Epoch milliseconds of a time the platform gave in seconds or milliseconds; null where there is none. */
export function epochMs(value: number | null): number | null {
  if (value === null || !Number.isFinite(value)) return null
  return Math.abs(value) < mostSeconds ? value * 1000 : value
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
