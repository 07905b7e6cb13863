import type { Clock } from '../ports/clock.ts'

/** Work that repeats from the start of the server to its end. */
export interface Background {
  readonly signal: AbortSignal
  /** Sleeps; ends early when the work is stopped. */
  readonly rest: (ms: number) => Promise<void>
  /** Begins the work; a second call changes nothing. */
  start(): void
  /** Aborts the signal; resolves when the work has ended. */
  stop(): Promise<void>
}

/** @param work never rejects, and ends soon after the signal is aborted */
export function createBackground(clock: Pick<Clock, 'sleep'>, work: () => Promise<void>): Background {
  const stopping = new AbortController()
  const { signal } = stopping
  let underWay: Promise<void> | undefined
  return {
    signal,
    async rest(ms) {
      await clock.sleep(ms, signal).catch((error: unknown) => {
        if (!signal.aborted) throw error
      })
    },
    start() {
      underWay ??= work()
    },
    async stop() {
      stopping.abort()
      await underWay
    },
  }
}
