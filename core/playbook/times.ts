/** How points in time are written, for hints. */
export const timeHint = 'write a time such as 2026-03-01T08:00:00Z'

const pattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/

/** Epoch milliseconds of a time with its zone (RFC 3339): what has none would mean something else on each machine. */
export function parseTimeMs(text: string): number | undefined {
  const ms = pattern.test(text) ? Date.parse(text) : NaN
  return Number.isFinite(ms) ? ms : undefined
}
