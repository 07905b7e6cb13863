/** Time, so that tests can hold it. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number
  /** Milliseconds that have really passed, whatever the time is set to. Default: as `now` says. */
  monotonic?(): number
  /** Resolves after `ms`; rejects with the signal's reason when it is aborted first. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
}
