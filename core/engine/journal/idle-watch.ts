/** Notices when every branch of a run waits, so that the run can be parked. */
export interface IdleWatch {
  /** Wraps work that is not waiting. */
  busy<T>(work: () => Promise<T>): Promise<T>
  /** Wraps a wait inside such work. */
  resting<T>(untilMs: number, wait: () => Promise<T>): Promise<T>
  /** Calls `onIdle` soon if every branch waits. */
  look(): void
}

/** Calls `onIdle`, possibly repeatedly, with the time at which the first branch wakes. */
export function createIdleWatch(onIdle: (wakeAtMs: number) => void): IdleWatch {
  let busy = 0
  const wakeTimes = new Map<symbol, number>()

  // Between two pieces of work a branch runs only microtasks, so it is busy again by the next macrotask.
  const checkSoon = () => {
    if (busy > 0 || wakeTimes.size === 0) return
    setImmediate(() => {
      if (busy === 0 && wakeTimes.size > 0) onIdle(Math.min(...wakeTimes.values()))
    })
  }
  return {
    look: checkSoon,
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
