/** Resolves at the first SIGINT or SIGTERM. A second one ends the process at once. */
export function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    const stop = () => {
      for (const signal of signals) process.off(signal, stop)
      resolve()
    }
    for (const signal of signals) process.on(signal, stop)
  })
}

const signals = ['SIGINT', 'SIGTERM'] as const
