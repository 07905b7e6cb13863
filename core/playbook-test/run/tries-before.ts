import type { MemoryJournal } from './memory-journal.ts'

/** Removes the repetitions of `repeat` and keeps the items: `each[1]/look#2` repeats `each[1]/look#1`. */
export const withoutTimes = (path: string): string => path.replaceAll(/#\d+/g, '')

const timesIn = (path: string): number => path.split('#').length - 1

/**
 * Number of earlier ended attempts of the step at a path, or of this item: in earlier repetitions of a
 * `repeat` and in this one. An attempt interrupted by a crash does not count. Computed from the journal, so a
 * crash changes nothing.
 */
export function triesBefore(
  journal: Pick<MemoryJournal, 'entries' | 'failedAttempts'>,
  path: string,
): number {
  const failures = (at: string): number =>
    journal.failedAttempts(at).filter(({ error }) => error.code !== 'step_interrupted').length
  if (!path.includes('#')) return failures(path)
  const place = withoutTimes(path)
  const earlier = journal.entries().filter(
    (entry) =>
      entry.path !== path &&
      (entry.state === 'completed' || entry.state === 'failed') &&
      // The entry of the whole `repeat` has fewer.
      timesIn(entry.path) === timesIn(path) &&
      withoutTimes(entry.path) === place,
  )
  return earlier.reduce((sum, entry) => sum + failures(entry.path) + 1, failures(path))
}
