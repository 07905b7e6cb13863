/** The source of time; tests replace it. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number
  /** Elapsed milliseconds, unaffected by changes of the system time. Default: `now`. */
  monotonic?(): number
  /** Resolves after `ms`; rejects with the reason of the signal if that is aborted first. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
  /** Like `callLater`, cheaper than with `sleep`. Default: with `sleep`. */
  callLater?(ms: number, call: () => void): () => void
}

/** Calls `call` after `ms`, unless the returned function is called first. For deadlines, which mostly do not pass. */
export function callLater(
  clock: Pick<Clock, 'sleep' | 'callLater'>,
  ms: number,
  call: () => void,
): () => void {
  if (clock.callLater !== undefined) return clock.callLater(ms, call)
  const over = new AbortController()
  clock.sleep(ms, over.signal).then(call, () => {})
  return () => over.abort(isOver)
}

/** Created once: an abort without a reason creates an error with a stack each time. */
const isOver = new Error('nothing is left to wait for')
