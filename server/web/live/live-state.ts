import { useSyncExternalStore } from 'react'

/** Whether the page is told of changes as they come: not yet, so it is, or not any more. */
export type LiveState = 'connecting' | 'live' | 'reconnecting'

let state: LiveState = 'connecting'
const listeners = new Set<() => void>()

/** Gives whether it was another one before. */
export function setLiveState(next: LiveState): boolean {
  if (next === state) return false
  state = next
  for (const listener of listeners) listener()
  return true
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const useLiveState = (): LiveState => useSyncExternalStore(subscribe, () => state)

/** While changes are told there is little to ask for: only what nobody tells, such as that the stream has died unseen. */
const liveMs = 60_000
/** While they are not, nothing is asked for more often. */
const fallbackMs = 4_000

/** How soon a view asks again for what it shows, where it would do so after `ms`. */
export function usePollMs(): (ms: number) => number {
  const isLive = useLiveState() === 'live'
  return (ms) => Math.max(ms, isLive ? liveMs : fallbackMs)
}
