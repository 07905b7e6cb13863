/** Work that many things make due, and that is done now and then. */
export interface Paced {
  /** Has it done: soon, where it is not going to be anyway. */
  due(): void
  /** Has nothing more done, and gives up what is being done. */
  stop(): void
}

/** Does the work some time after it became due, however often it becomes due meanwhile; what becomes due while it is done is done after another such time. */
export function paced(work: (gone: AbortSignal) => Promise<void>, pauseMs: number): Paced {
  const gone = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  let isDue = false

  async function run(): Promise<void> {
    isDue = false
    // What cannot be done now is done when it is due again.
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
