const hour = 3_600_000

/** Spans of time that lists are narrowed to, by what stands in the address. */
const spans = {
  '1h': { text: 'Last hour', ms: hour },
  '24h': { text: 'Last 24 hours', ms: 24 * hour },
  '7d': { text: 'Last 7 days', ms: 7 * 24 * hour },
  '30d': { text: 'Last 30 days', ms: 30 * 24 * hour },
} as const

/** For a filter to choose from. */
export const spanChoices = Object.entries(spans).map(([value, { text }]) => ({ value, label: text }))

/** When a span began, in epoch milliseconds; undefined where it is none of them. */
export function beginOf(span: string | undefined, now: number): number | undefined {
  return span !== undefined && Object.hasOwn(spans, span)
    ? now - spans[span as keyof typeof spans].ms
    : undefined
}
