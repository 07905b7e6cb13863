import { createStore } from './hooks.ts'
import { useSyncExternalStore } from 'react'

/** One timer for all relative times. */
const listeners = new Set<() => void>()
let aheadMs = 0
let now = Date.now()
let timer: ReturnType<typeof setInterval> | undefined

/** Network delay, and the whole seconds of the header. */
const toleranceMs = 3_000

/**
 * Learns the time of the server, because the local clock may be wrong.
 *
 * @param date the `Date` header (RFC 9110, section 6.6.1)
 */
export function learnTime(date: string | null): void {
  const difference = Date.parse(date ?? '') - Date.now()
  if (Number.isNaN(difference)) return
  if (Math.abs(difference - aheadMs) > toleranceMs)
    aheadMs = Math.abs(difference) > toleranceMs ? difference : 0
}

/** The time of the server in epoch milliseconds, accurate to seconds. */
export const serverTime = (): number => Date.now() + aheadMs

/** Calls `listener` every second. Returns a function that stops it. */
export function onTick(listener: () => void): () => void {
  listeners.add(listener)
  if (timer === undefined) now = serverTime()
  timer ??= setInterval(() => {
    now = serverTime()
    for (const each of listeners) each()
  }, 1_000)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** Epoch milliseconds, equal for all until the next tick. */
export const currentTime = (): number => now

const never = (): (() => void) => {
  now = serverTime()
  return () => undefined
}

/** The time of the server in epoch milliseconds, updated every second while `ticks`. */
export function useNow(ticks = true): number {
  return useSyncExternalStore(ticks ? onTick : never, currentTime)
}

/** The time zone of displayed times. */
export type Zone = 'local' | 'utc'

const keptAs = 'tocsin-zone'
const zone = createStore<Zone>(readKept())

export const useZone = zone.use

/** Storage may be disabled. */
function readKept(): Zone {
  try {
    return localStorage.getItem(keptAs) === 'utc' ? 'utc' : 'local'
  } catch {
    return 'local'
  }
}

/** Sets the time zone of all times and stores it in this browser. */
export function setZone(chosen: Zone): void {
  zone.set(chosen)
  try {
    localStorage.setItem(keptAs, chosen)
  } catch {
    // Without storage, it lasts until the page is closed.
  }
}

/** `UTC`, `UTC+1`, `UTC-3:30`, at that time of the year. */
export function zoneName(of: Zone, at: number): string {
  const minutes = of === 'utc' ? 0 : -new Date(at).getTimezoneOffset()
  if (minutes === 0 || Number.isNaN(minutes)) return 'UTC'
  const rest = Math.abs(minutes) % 60
  const hours = Math.trunc(Math.abs(minutes) / 60)
  return `UTC${minutes < 0 ? '-' : '+'}${hours}${rest === 0 ? '' : `:${String(rest).padStart(2, '0')}`}`
}

/** The one format of times in the page: `2026-11-21 18:22:36`. */
const format = { dateStyle: 'short', timeStyle: 'medium' } as const
const whole: Readonly<Record<Zone, Intl.DateTimeFormat>> = {
  local: new Intl.DateTimeFormat('sv-SE', format),
  utc: new Intl.DateTimeFormat('sv-SE', { ...format, timeZone: 'UTC' }),
}

const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
] as const

/** `5m ago`, `in 2d`, `now`. */
export function relativeTime(at: number, now: number): string {
  const difference = at - now
  for (const [unit, ms] of units)
    if (Math.abs(difference) >= ms) {
      const text = `${Math.trunc(Math.abs(difference) / ms)}${unit}`
      return difference < 0 ? `${text} ago` : `in ${text}`
    }
  return 'now'
}

/** For tables: as `wholeTime`, without the year if it is the current year: `11-21 18:22:36`. */
export function exactTime(at: number, zone: Zone): string {
  const text = wholeTime(at, zone)
  const year = `${wholeTime(serverTime(), zone).slice(0, 4)}-`
  return text.startsWith(year) ? text.slice(year.length) : text
}

/** For tooltips, with the zone: `2026-11-21 18:22:36 UTC+1`. */
export function zonedTime(at: number, zone: Zone): string {
  return Number.isNaN(new Date(at).getTime()) ? isoOf(at) : `${wholeTime(at, zone)} ${zoneName(zone, at)}`
}

/** In UTC; the number itself for an invalid time. */
export function isoOf(at: number): string {
  const date = new Date(at)
  return Number.isNaN(date.getTime()) ? String(at) : date.toISOString()
}

/** `2026-11-21 18:22:36`; in UTC, as `isoOf`, for an invalid time. */
export function wholeTime(at: number, zone: Zone): string {
  return Number.isNaN(new Date(at).getTime()) ? isoOf(at) : whole[zone].format(at)
}

/** `850 ms`, `2.4 s`, `3 min 20 s`, `2 h 5 min`, `3 d 4 h`. */
export function durationText(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`
  const [large, small, inLarge, inSmall] =
    ms < 3_600_000
      ? (['min', 's', 60_000, 1_000] as const)
      : ms < 86_400_000
        ? (['h', 'min', 3_600_000, 60_000] as const)
        : (['d', 'h', 86_400_000, 3_600_000] as const)
  const rest = Math.floor((ms % inLarge) / inSmall)
  return `${Math.floor(ms / inLarge)} ${large}${rest === 0 ? '' : ` ${rest} ${small}`}`
}
