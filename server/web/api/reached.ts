import { useSyncExternalStore } from 'react'
import { serverTime } from '../parts/time/now.ts'

/** Since when nothing has arrived from the server, epoch milliseconds by its own clock; undefined while it answers. */
let silentSince: number | undefined
const listeners = new Set<() => void>()

/** Said by each call: whether an answer came, whatever it was. */
export function tellReached(isReached: boolean): void {
  if (isReached === (silentSince === undefined)) return
  silentSince = isReached ? undefined : serverTime()
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Since when the server has not answered, epoch milliseconds; undefined while it does. */
export function useSilentSince(): number | undefined {
  return useSyncExternalStore(subscribe, () => silentSince)
}
