import { zonedTime, type Zone } from '../parts/time.ts'
import type { Query } from '../api/call.ts'

/** Time filters as in the URL, in epoch milliseconds. */
export interface ListTimes {
  readonly since?: string | undefined
  readonly created_after?: string | undefined
  readonly created_before?: string | undefined
}

/** Undefined for an invalid time. */
function timeOf(text: string | undefined): number | undefined {
  const at = /^\d{1,16}$/.test(text ?? '') ? Number(text) : NaN
  return Number.isNaN(new Date(at).getTime()) ? undefined : at
}

/**
 * Value of `<input type="datetime-local">`, which has no time zone: `2026-11-21T18:22:36`. Empty without a
 * time.
 */
export function dateInputText(text: string | undefined, zone: Zone): string {
  const at = timeOf(text)
  if (at === undefined) return ''
  const ahead = zone === 'utc' ? 0 : -new Date(at).getTimezoneOffset() * 60_000
  return new Date(at + ahead).toISOString().slice(0, 19)
}

/** Value for the URL; null if the input is empty. */
export function dateInputTime(text: string, zone: Zone): string | null {
  const at = Date.parse(zone === 'utc' ? `${text}Z` : text)
  return text === '' || Number.isNaN(at) ? null : String(at)
}

/** The filter as text: `Last hour`, `from 2026-11-21 18:22:36 UTC`. */
export function rangeText({ since, created_after: from, created_before: to }: ListTimes, zone: Zone): string {
  const words = (text: string): string => {
    const at = timeOf(text)
    return at === undefined ? `“${text}” (invalid time)` : zonedTime(at, zone)
  }
  const span = spanChoices.find(({ value }) => value === since)?.label
  return [
    ...(since === undefined ? [] : [span ?? `“${since}” (invalid time span)`]),
    ...(from === undefined ? [] : [`from ${words(from)}`]),
    ...(to === undefined ? [] : [`before ${words(to)}`]),
  ].join(', ')
}

/** Whether all parts are valid. */
export function isValidRange({ since, created_after: from, created_before: to }: ListTimes): boolean {
  const isSpan = since === undefined || spanChoices.some(({ value }) => value === since)
  return isSpan && [from, to].every((text) => text === undefined || timeOf(text) !== undefined)
}

const minute = 60_000
const hour = 60 * minute

/** Time spans by their name in the URL. */
const spans = {
  '1h': { text: 'Last hour', ms: hour },
  '24h': { text: 'Last 24 hours', ms: 24 * hour },
  '7d': { text: 'Last 7 days', ms: 7 * 24 * hour },
  '30d': { text: 'Last 30 days', ms: 30 * 24 * hour },
} as const

/** For a select field. */
export const spanChoices = Object.entries(spans).map(([value, { text }]) => ({ value, label: text }))

/** Start of a span in epoch milliseconds, rounded to the minute. Undefined for an unknown span. */
export function spanStart(span: string | undefined, now: number): number | undefined {
  return span !== undefined && Object.hasOwn(spans, span)
    ? now - (now % minute) - spans[span as keyof typeof spans].ms
    : undefined
}

/** The query for the API, which has no spans. The later start applies. */
export function queryAt({ since, ...query }: Query, now: number): Query {
  const begin = spanStart(since?.toString(), now)
  if (begin === undefined) return query
  const after = Number(query['created_after'] ?? begin)
  // The API reports invalid times.
  return { ...query, ...(!Number.isNaN(after) && { created_after: Math.max(begin, after) }) }
}

/** Rows that are not older than this; all rows if undefined. */
export function rowsSince<Row>(rows: readonly Row[], begin: number | undefined): readonly Row[] {
  if (begin === undefined) return rows
  return rows.filter((row) => ((row as { readonly created_at?: number }).created_at ?? begin) >= begin)
}
