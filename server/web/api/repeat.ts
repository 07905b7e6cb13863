import { ApiError, apiProblem, isUnanswered } from './problem.ts'

/** Pauses before repetitions, in milliseconds. Together longer than another server needs to take over. */
const pausesMs = [1_000, 2_000, 4_000, 6_000] as const
/** Longer pauses are left to the person. */
const maxPauseMs = 15_000
/** Since the first failure. Requests that nothing answers fail only after their timeout. */
const maxRepeatMs = 60_000

interface RepeatOptions {
  /** No further repetition. */
  readonly signal?: AbortSignal
  readonly sleep?: (ms: number, signal: AbortSignal | undefined) => Promise<void>
}

/**
 * Sends a request with an idempotency key, and again with the same key while no server answers. Throws the
 * last error.
 */
export async function untilAnswered<Answer>(
  send: () => Promise<Answer>,
  { signal, sleep = pause }: RepeatOptions = {},
): Promise<Answer> {
  let failedAt: number | undefined
  for (const pauseMs of pausesMs) {
    try {
      // oxlint-disable-next-line no-await-in-loop -- a repetition follows a failure
      return await send()
    } catch (error) {
      failedAt ??= performance.now()
      const ms = Math.max(pauseMs, error instanceof ApiError ? error.retryAfterMs : 0)
      const isOver = ms > maxPauseMs || performance.now() + ms > failedAt + maxRepeatMs
      if (isOver || !isUnanswered(error)) throw error
      // oxlint-disable-next-line no-await-in-loop -- see above
      await sleep(ms, signal)
      if (signal?.aborted === true) throw error
    }
  }
  return await send()
}

/**
 * Sends a request once more after `request_interrupted`: its idempotency key gets no other answer any more. What was done before is
 * refused or skipped the second time.
 *
 * @param renew chooses another key
 */
export const againIfInterrupted = <Answer>(send: () => Promise<Answer>, renew: () => void): Promise<Answer> =>
  send().catch((error: unknown) => {
    if (apiProblem(error).code !== 'request_interrupted') throw error
    renew()
    return send()
  })

/** Ends early when the signal is aborted. */
const pause = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => {
    if (signal?.aborted === true) return resolve()
    const timer = setTimeout(resolve, ms)
    signal?.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
