import { hash } from 'node:crypto'

/** Identical lines within this time are counted, not written. */
const windowMs = 10_000
/** Beyond this many different lines, all are written. */
const mostLines = 1_000

export interface RepeatedLines {
  /** Whether to write a line now; a repetition within ten seconds is counted instead. */
  admit(text: string, writeCount: (count: number) => void): boolean
  flush(): void
}

const unwritten = new Set<() => void>()
process.on('exit', () => {
  for (const flush of unwritten) flush()
})

/**
 * Keeps a repeating failure from filling the log: writes the first of identical lines, and after ten seconds
 * the number of the others. Writes pending counts when the process exits.
 */
export function limitRepeatedLines(): RepeatedLines {
  const lines = new Map<string, { count: number; readonly end: () => void }>()
  const flush = () => {
    for (const { end } of lines.values()) end()
  }
  return {
    admit(text, writeCount) {
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
        if (begun.count > 0) writeCount(begun.count)
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
