/** Notices when every branch of a run waits for time to pass, so that the run need not be kept in memory meanwhile. */
export interface IdleWatch {
  /** Around work that is not waiting. */
  busy<T>(work: () => Promise<T>): Promise<T>
  /** Around a wait inside such work. */
  resting<T>(untilMs: number, wait: () => Promise<T>): Promise<T>
}

/** `onIdle` is called, possibly again and again, with the time at which the first branch has something to do. */
export function createIdleWatch(onIdle: (wakeAtMs: number) => void): IdleWatch {
  let busy = 0
  const wakeTimes = new Map<symbol, number>()

  // Between two pieces of work a branch only runs microtasks: by the next turn of the event loop it is busy again.
  const checkSoon = () => {
    if (busy > 0 || wakeTimes.size === 0) return
    setImmediate(() => {
      if (busy === 0 && wakeTimes.size > 0) onIdle(Math.min(...wakeTimes.values()))
    })
  }
  return {
    async busy(work) {
      busy++
      try {
        return await work()
      } finally {
        busy--
        checkSoon()
      }
    },
    async resting(untilMs, wait) {
      const key = Symbol('wait')
      wakeTimes.set(key, untilMs)
      busy--
      checkSoon()
      try {
        return await wait()
      } finally {
        wakeTimes.delete(key)
        busy++
      }
    },
  }
}
