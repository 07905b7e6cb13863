import { timestampIn } from '../../expression/index.ts'

/** How points in time are written, for hints. */
export const timeHint = 'write a time such as 2026-03-01T08:00:00Z'

/** Epoch milliseconds of a time with its zone (RFC 3339): what has none would mean something else on each machine. */
export function parseTimeMs(text: string): number | undefined {
  const found = timestampIn(text)
  return found && found.seconds * 1000 + Math.floor(found.nanos / 1e6)
}

/** What was meant by a day that its month does not have: as many days after the month's last. */
export function parseOverlongTimeMs(text: string): number | undefined {
  const ms = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/.test(text)
    ? Date.parse(text)
    : NaN
  return Number.isFinite(ms) ? ms : undefined
}
