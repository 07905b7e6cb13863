import type { Log } from '../../core/ports.ts'

/** Between two lines, in milliseconds. */
const windowMs = 10_000

/** Tells the log about one more request that could not be taken now. */
export type RecordRefusal = (code: string, error: unknown) => void

/**
 * Requests that the server could not take, e.g. because the disk is full: the first one is logged at once, those of the next
 * ten seconds with their number, so that a flood of them does not become one of the log.
 */
export function createRefusalLog(log: Log): RecordRefusal {
  const counts = new Map<string, number>()
  return (code, error) => {
    const count = counts.get(code)
    if (count !== undefined) {
      counts.set(code, count + 1)
      return
    }
    counts.set(code, 0)
    log.warn({ code, error }, 'a request could not be taken')
    setTimeout(() => {
      const more = counts.get(code) ?? 0
      counts.delete(code)
      if (more > 0) log.warn({ code, count: more }, 'more requests could not be taken in the last 10 seconds')
    }, windowMs).unref()
  }
}
