const signals = ['SIGINT', 'SIGTERM'] as const

/**
 * Signals closer together than this, in milliseconds, are one: at Ctrl-C the terminal sends one to every process, and npm
 * (or the Node that handed over to this one) passes its own on.
 */
const oneKeyPressMs = 500

/** Resolves at the first SIGINT or SIGTERM. A later one ends the process at once. */
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
