import { useSyncExternalStore } from 'react'

/** One clock for all that shows how long ago something was. */
const listeners = new Set<() => void>()
let now = Date.now()
let timer: ReturnType<typeof setInterval> | undefined

/** Calls `listener` every second; gives what ends that. */
export function onTick(listener: () => void): () => void {
  listeners.add(listener)
  if (timer === undefined) now = Date.now()
  timer ??= setInterval(() => {
    now = Date.now()
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

const never = (): (() => void) => () => undefined

/** Epoch milliseconds, renewed every second while `ticks`. */
export function useNow(ticks = true): number {
  return useSyncExternalStore(ticks ? onTick : never, currentTime)
}
