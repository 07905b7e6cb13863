/**
 * Settles like the work, or rejects with the signal's reason if that is aborted first. The work continues
 * unobserved.
 */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- the reason is the engine's own error
    const abort = (): void => reject(signal.reason)
    const unwatch = (): void => signal.removeEventListener('abort', abort)
    signal.addEventListener('abort', abort, { once: true })
    if (signal.aborted) abort()
    work.then(resolve, reject)
    work.then(unwatch, unwatch)
  })
}
