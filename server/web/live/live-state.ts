import { createStore } from '../parts/hooks.ts'

/** State of the change stream. */
export type LiveState = 'connecting' | 'live' | 'reconnecting'

const state = createStore<LiveState>('connecting')

/** Returns whether the state changed. */
export const setLiveState = state.set
export const useLiveState = state.use

/** Poll interval while the stream is up, in case it broke unnoticed. */
const liveMs = 60_000
/** Shortest poll interval while it is down. */
const fallbackMs = 4_000

/** Poll interval of a view that would poll every `ms` without the stream. */
export function usePollMs(): (ms: number) => number {
  const isLive = useLiveState() === 'live'
  return (ms) => Math.max(ms, isLive ? liveMs : fallbackMs)
}

/** A watchdog for heartbeats. */
export interface SilenceWatch {
  readonly heard: () => void
  readonly stop: () => void
}

/** Calls `onSilent` after `ms` without `heard`, counted from the first one. */
export function watchSilence(ms: number, onSilent: () => void): SilenceWatch {
  let timer: ReturnType<typeof setTimeout> | undefined
  return {
    heard: () => {
      clearTimeout(timer)
      timer = setTimeout(onSilent, ms)
    },
    stop: () => clearTimeout(timer),
  }
}
