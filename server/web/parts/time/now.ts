import { useSyncExternalStore } from 'react'

/** One clock for all that shows how long ago something was. */
const listeners = new Set<() => void>()
let aheadMs = 0
let now = Date.now()
let timer: ReturnType<typeof setInterval> | undefined

/** Differences up to this are the way of the answer and the whole seconds of its header. */
const toleranceMs = 3_000

/**
 * Learns from an answer what time it is at the server: the clock of the reader may be hours off, and what is to be compared with
 * times of the server goes by this one.
 *
 * @param date the header `Date` (RFC 9110, section 6.6.1)
 */
export function learnTime(date: string | null): void {
  const difference = Date.parse(date ?? '') - Date.now()
  if (Number.isNaN(difference)) return
  if (Math.abs(difference - aheadMs) > toleranceMs)
    aheadMs = Math.abs(difference) > toleranceMs ? difference : 0
}

/** The time at the server, epoch milliseconds, to a few seconds. */
export const serverTime = (): number => Date.now() + aheadMs

/** Calls `listener` every second; gives what ends that. */
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

/** Epoch milliseconds, the same for all until the next tick. */
export const currentTime = (): number => now

const never = (): (() => void) => {
  now = serverTime()
  return () => undefined
}

/** Epoch milliseconds at the server, renewed every second while `ticks`. */
export function useNow(ticks = true): number {
  return useSyncExternalStore(ticks ? onTick : never, currentTime)
}
