import type { Clock } from '../core/ports/clock.ts'

/** The longest a timer of the platform can be set to; longer waits are made of several. */
const maxTimerMs = 2_147_483_647

/** The time of this machine. Waits are measured on the monotonic clock: setting the time neither lengthens nor shortens one. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  // Not that of node:timers/promises, which makes an error with a stack for every wait that is given up: most are.
  sleep(ms, signal) {
    return new Promise((resolve, reject) => {
      const until = performance.now() + ms
      let timer: NodeJS.Timeout | undefined
      const giveUp = (): void => {
        clearTimeout(timer)
        // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- whoever aborts says why
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
