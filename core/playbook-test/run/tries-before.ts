import type { MemoryJournal } from './memory-journal.ts'

/** Times of `repeat` left out, items kept: `each[1]/look#2` is the same question as `each[1]/look#1`, asked again. */
export const withoutTimes = (path: string): string => path.replaceAll(/#\d+/g, '')

const timesIn = (path: string): number => path.split('#').length - 1

/**
 * How often the step at a path, or this item of it, has been tried and has ended before: in earlier times of a `repeat`, and in
 * this one. What a crash interrupted was no try: nothing came of it. Known from the journal alone, so a crash changes nothing.
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
      // The entry of all times together has fewer.
      timesIn(entry.path) === timesIn(path) &&
      withoutTimes(entry.path) === place,
  )
  return earlier.reduce((sum, entry) => sum + failures(entry.path) + 1, failures(path))
}
