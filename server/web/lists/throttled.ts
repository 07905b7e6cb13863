/** Work that runs at most once per pause. */
export interface Throttled {
  /** Schedules the work. */
  due(): void
  /** Cancels scheduled and running work. */
  stop(): void
}

/** Runs the work a while after `due` was called, however often. Calls during the work schedule it again. */
export function throttled(work: (gone: AbortSignal) => Promise<void>, pauseMs: number): Throttled {
  const gone = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  let isDue = false

  async function run(): Promise<void> {
    isDue = false
    // The work is tried again when it is due.
    await work(gone.signal).catch(() => undefined)
    timer = undefined
    if (isDue) due()
  }

  function due(): void {
    isDue = true
    if (timer === undefined && !gone.signal.aborted) timer = setTimeout(() => void run(), pauseMs)
  }

  return {
    due,
    stop() {
      gone.abort()
      clearTimeout(timer)
    },
  }
}
