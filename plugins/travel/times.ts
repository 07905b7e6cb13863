const dayMs = 86_400_000
/** Epoch seconds stay below this for thousands of years; epoch milliseconds exceeded it in 1973. */
const mostSeconds = 100_000_000_000
const isoTime = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+-]\d{2}:\d{2})?$/

/** Whole epoch seconds, as in the platform's parameters. */
export const epochSeconds = (ms: number): number => Math.floor(ms / 1000)

/**
 * Epoch milliseconds of a time from the platform: epoch seconds or milliseconds, also as a string, or ISO
 * 8601. A time without a zone is read as UTC, as dates are. Null if it is no time.
 */
export function parseEpochMs(value: unknown): number | null {
  if (typeof value === 'string') return textMs(value.trim())
  if (typeof value !== 'number' || !Number.isFinite(value)) return null
  return Math.abs(value) < mostSeconds ? value * 1000 : value
}

function textMs(text: string): number | null {
  if (/^\d{9,13}$/.test(text)) return parseEpochMs(Number(text))
  const [, day, time, zone = 'Z'] = isoTime.exec(text) ?? []
  const ms = Date.parse(`${day}T${time}${zone}`)
  return Number.isNaN(ms) ? null : ms
}

/** Start of the day in UTC, in epoch milliseconds; null if the text is no date. */
export function dayStartMs(date: string | null): number | null {
  const ms = /^\d{4}-\d{2}-\d{2}/.test(date ?? '')
    ? Date.parse(`${date?.slice(0, 10)}T00:00:00Z`)
    : Number.NaN
  return Number.isNaN(ms) ? null : ms
}

/** Start of the next day. */
export function dayEndMs(date: string | null): number | null {
  const start = dayStartMs(date)
  return start === null ? null : start + dayMs
}

/** The time as ISO 8601 in UTC; null for null, and for times out of range. */
export function isoText(ms: number | null): string | null {
  return ms === null || Math.abs(ms) > 8.64e15 ? null : new Date(ms).toISOString()
}
