import type { Query } from '../../api/call.ts'

const minute = 60_000
const hour = 60 * minute

/** Spans of time that lists are narrowed to, by what stands in the address. */
const spans = {
  '1h': { text: 'Last hour', ms: hour },
  '24h': { text: 'Last 24 hours', ms: 24 * hour },
  '7d': { text: 'Last 7 days', ms: 7 * 24 * hour },
  '30d': { text: 'Last 30 days', ms: 30 * 24 * hour },
} as const

/** For a filter to choose from. */
export const spanChoices = Object.entries(spans).map(([value, { text }]) => ({ value, label: text }))

/** When a span began, in epoch milliseconds: to the minute, so that it moves on as the minutes do. Undefined where it is none of them. */
export function beginOf(span: string | undefined, now: number): number | undefined {
  return span !== undefined && Object.hasOwn(spans, span)
    ? now - (now % minute) - spans[span as keyof typeof spans].ms
    : undefined
}

/** What the API is asked for: it knows times, and no spans. Where both are given, both narrow. */
export function queryNow({ since, ...query }: Query, now: number): Query {
  const begin = beginOf(since?.toString(), now)
  if (begin === undefined) return query
  const after = Number(query['created_after'] ?? begin)
  // What is no time is refused by the API, in its words.
  return { ...query, ...(!Number.isNaN(after) && { created_after: Math.max(begin, after) }) }
}

/** The rows that are not older than this; all where it is undefined. */
export function rowsSince<Row>(rows: readonly Row[], begin: number | undefined): readonly Row[] {
  if (begin === undefined) return rows
  return rows.filter((row) => ((row as { readonly created_at?: number }).created_at ?? begin) >= begin)
}
