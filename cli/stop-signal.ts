const signals = ['SIGINT', 'SIGTERM'] as const

/**
 * Signals within this time count as one: at Ctrl-C the terminal signals every process, and npm (or the Node
 * that started this one) forwards its own.
 */
const oneKeyPressMs = 500

/** Resolves at the first SIGINT or SIGTERM; a second one ends the process immediately. */
export function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    let stopping = false
    const stop = () => {
      if (stopping) return
      stopping = true
      resolve()
      setTimeout(() => {
        for (const signal of signals) process.off(signal, stop)
      }, oneKeyPressMs).unref()
    }
    for (const signal of signals) process.on(signal, stop)
  })
}
