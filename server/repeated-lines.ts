import { hash } from 'node:crypto'

/** Between two lines that say the same, in milliseconds. */
const windowMs = 10_000
/** Lines that are remembered at a time; beyond, they are written as they come. */
const mostLines = 1_000

export interface RepeatedLines {
  /** Whether to write a line now; one that repeats another of the last ten seconds is counted. */
  admit(text: string, writeCount: (count: number) => void): boolean
  /** Writes the counts at once. */
  flush(): void
}

const unwritten = new Set<() => void>()
process.on('exit', () => {
  for (const flush of unwritten) flush()
})

/**
 * Keeps a failure that comes again and again from filling the log: of lines that say the same, the first is written, and after ten
 * seconds how many more there were. Counts that are left are written when the process exits.
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
