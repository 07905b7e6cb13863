/** Tells a run that waits that something happened outside: an answer, a decision. */
export interface WakeUps {
  /** Aborted at the next wake-up. To be taken before looking at what may have happened. */
  next(): AbortSignal
  wake(): void
}

export function createWakeUps(): WakeUps {
  let controller = new AbortController()
  return {
    next: () => controller.signal,
    wake() {
      const woken = controller
      controller = new AbortController()
      woken.abort()
    },
  }
}
