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
      const until = performance.now() + ms
      let timer: NodeJS.Timeout | undefined
      const giveUp = (): void => {
        clearTimeout(timer)
        // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- the caller chooses the reason
        reject(signal.reason)
      }
      const look = (): void => {
        const left = until - performance.now()
        if (left > 0) {
          timer = setTimeout(look, Math.min(left, maxTimerMs))
          return
        }
        signal.removeEventListener('abort', giveUp)
        resolve()
      }
      if (signal.aborted) return giveUp()
      signal.addEventListener('abort', giveUp, { once: true })
      look()
    })
  },
}
