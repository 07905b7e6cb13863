import { hash } from 'node:crypto'
import { isOwnStore } from '../core/engine/context/retry-class.ts'
import type { LogFields } from '../core/ports/log.ts'

/** Beyond this many different lines, all are written. */
const mostLines = 1_000

/** Whether a line is about an outage of the store, which all runs and requests meet. */
export const isOfOutage = (fields: LogFields): boolean => isOwnStore(fields.error ?? fields)

/** How long repetitions of a line are counted instead of written, in milliseconds: an outage may last. */
export const repeatedForMs = (fields: LogFields): number => (isOfOutage(fields) ? 60_000 : 10_000)

export interface RepeatedLines {
  /**
   * Whether to write a line now; a repetition within `windowMs` of it is counted instead.
   *
   * @param text the same for lines that repeat one another
   */
  admit(text: string, writeCount: (count: number, seconds: number) => void, windowMs: number): boolean
  flush(): void
}

const unwritten = new Set<() => void>()
process.on('exit', () => {
  for (const flush of unwritten) flush()
})

/**
 * Keeps a repeating failure from filling the log: writes the first of identical lines, and after a while
 * the number of the others. Writes pending counts when the process exits.
 */
export function limitRepeatedLines(): RepeatedLines {
  const lines = new Map<string, { count: number; readonly end: () => void }>()
  const flush = () => {
    for (const { end } of lines.values()) end()
  }
  return {
    admit(text, writeCount, windowMs) {
      const key = hash('sha1', text)
      const line = lines.get(key)
      if (line !== undefined) {
        line.count++
        return false
      }
      if (lines.size >= mostLines) return true
      const end = () => {
        clearTimeout(timer)
        lines.delete(key)
        if (lines.size === 0) unwritten.delete(flush)
        if (begun.count > 0) writeCount(begun.count, windowMs / 1_000)
      }
      const timer = setTimeout(end, windowMs)
      timer.unref()
      const begun = { count: 0, end }
      unwritten.add(flush)
      lines.set(key, begun)
      return true
    },
    flush,
  }
}
