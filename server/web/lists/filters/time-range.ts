import { wholeTime } from '../../parts/time/time-texts.ts'
import { zoneName, type Zone } from '../../parts/time/zone.ts'
import { spanChoices } from '../rows/since.ts'

/** What narrows a list to times, as it stands in the address; times in epoch milliseconds. */
export interface TimeRange {
  readonly since?: string | undefined
  readonly created_after?: string | undefined
  readonly created_before?: string | undefined
}

/** A time as the address has it; undefined where it is none. */
function timeOf(text: string | undefined): number | undefined {
  const at = /^\d{1,16}$/.test(text ?? '') ? Number(text) : NaN
  return Number.isNaN(new Date(at).getTime()) ? undefined : at
}

/** For `<input type="datetime-local">`, which knows no zones: `2026-11-21T18:22:36`. Empty where there is no time. */
export function inputText(text: string | undefined, zone: Zone): string {
  const at = timeOf(text)
  if (at === undefined) return ''
  const ahead = zone === 'utc' ? 0 : -new Date(at).getTimezoneOffset() * 60_000
  return new Date(at + ahead).toISOString().slice(0, 19)
}

/** What such an input holds, for the address; null where it is empty. */
export function inputTime(text: string, zone: Zone): string | null {
  const at = Date.parse(zone === 'utc' ? `${text}Z` : text)
  return text === '' || Number.isNaN(at) ? null : String(at)
}

/** What a list is narrowed to, in words: `Last hour`, `from 2026-11-21 18:22:36 UTC`. */
export function rangeText({ since, created_after: from, created_before: to }: TimeRange, zone: Zone): string {
  const words = (text: string): string => {
    const at = timeOf(text)
    return at === undefined ? `“${text}”, which is no time` : `${wholeTime(at, zone)} ${zoneName(zone, at)}`
  }
  const span = spanChoices.find(({ value }) => value === since)?.label
  return [
    ...(since === undefined ? [] : [span ?? `“${since}”, which is no span of time`]),
    ...(from === undefined ? [] : [`from ${words(from)}`]),
    ...(to === undefined ? [] : [`before ${words(to)}`]),
  ].join(', ')
}

/** Whether all of it can be understood. */
export function isRange({ since, created_after: from, created_before: to }: TimeRange): boolean {
  const isSpan = since === undefined || spanChoices.some(({ value }) => value === since)
  return isSpan && [from, to].every((text) => text === undefined || timeOf(text) !== undefined)
}
