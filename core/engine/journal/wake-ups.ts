/** Tells a waiting run that something happened outside: an answer or a decision. */
export interface WakeUps {
  /** Aborted at the next wake-up. Take it before reading the state that may have changed. */
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
