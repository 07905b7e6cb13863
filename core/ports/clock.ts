/** The source of time; tests replace it. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number
  /** Elapsed milliseconds, unaffected by changes of the system time. Default: `now`. */
  monotonic?(): number
  /** Resolves after `ms`; rejects with the reason of the signal if that is aborted first. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
}
