import type { Clock } from '../core/ports/clock.ts'

/** The longest delay of a timer; longer waits are made of several. */
const maxTimerMs = 2_147_483_647

/** Waits use the monotonic clock, so that setting the system time does not change them. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  // Not node:timers/promises: it creates an error with a stack for every aborted wait, and most waits are
  // aborted.
  sleep(ms, signal) {
    return new Promise((resolve, reject) => {
      const giveUp = (): void => {
        cancel()
        // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- the caller chooses the reason
        reject(signal.reason)
      }
      // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- the caller chooses the reason
      if (signal.aborted) return reject(signal.reason)
      if (ms <= 0) return resolve()
      signal.addEventListener('abort', giveUp, { once: true })
      const cancel = callLater(ms, () => {
        signal.removeEventListener('abort', giveUp)
        resolve()
      })
    })
  },
  callLater,
}

/** Never calls at once, so that the caller has the returned function first. */
function callLater(ms: number, call: () => void): () => void {
  const until = performance.now() + ms
  const wait = (left: number) => setTimeout(look, Math.min(left, maxTimerMs))
  const look = (): void => {
    const left = until - performance.now()
    if (left > 0) timer = wait(left)
    else call()
  }
  let timer = wait(ms)
  return () => clearTimeout(timer)
}
