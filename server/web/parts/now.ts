import { useSyncExternalStore } from 'react'

/** One clock for all that shows how long ago something was. */
const listeners = new Set<() => void>()
let now = Date.now()
let timer: ReturnType<typeof setInterval> | undefined

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
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

const never = (): (() => void) => () => undefined

/** Epoch milliseconds, renewed every second while `ticks`. */
export function useNow(ticks = true): number {
  return useSyncExternalStore(ticks ? subscribe : never, () => now)
}
