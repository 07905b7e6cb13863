import type { FailedAttempt, JournalEntry } from '../../domain/run.ts'
import { ConflictError, NotFoundError } from '../../errors/errors.ts'
import type { JournalBegin, JournalEnd, JournalStore } from '../../ports/runs/journal-store.ts'

/** The journal of one run in memory; can be looked at without waiting. */
export interface MemoryJournal {
  readonly store: JournalStore
  /** In the order in which they began. */
  entries(): readonly JournalEntry[]
  failedAttempts(path: string): readonly FailedAttempt[]
  /** Takes back the intent of a try, as if it had never begun. */
  forgetIntent(path: string): void
  /** Ends a step whose process died, with what is known of it. */
  decide(path: string, end: Pick<JournalEnd, 'output' | 'attempt' | 'endedAt'>): void
}

/** `onEnd` is told of every entry that has ended. */
export function createMemoryJournal(onEnd: (entry: JournalEntry) => void = () => {}): MemoryJournal {
  const entries = new Map<string, JournalEntry>()
  const failed: FailedAttempt[] = []
  const failedAt = (path: string) => failed.filter((attempt) => attempt.path === path)

  const finish = (begun: JournalEntry, { isSensitive: _, changedNothing: __, ...end }: JournalEnd) => {
    if (begun.state !== 'started' && begun.state !== 'unknown')
      throw new ConflictError('step_has_ended', `the step '${begun.path}' has ended`)
    const entry = { ...begun, ...end }
    entries.set(begun.path, entry)
    onEnd(entry)
  }
  const store: JournalStore = {
    async begin(_run, begin) {
      const known = entries.get(begin.path)
      if (known === undefined) entries.set(begin.path, started(begin))
      else if (known.state === 'started' && begin.attempt > known.attempt)
        entries.set(begin.path, { ...known, attempt: begin.attempt })
      return undefined
    },
    reserve: async () => undefined,
    release: async () => {},
    async attemptFailed(_run, attempt) {
      if (!failedAt(attempt.path).some((known) => known.attempt === attempt.attempt)) failed.push(attempt)
    },
    async end(_run, path, end) {
      const begun = entries.get(path)
      if (begun === undefined) throw new Error(`the step '${path}' has not begun`)
      finish(begun, end)
    },
    async record(_run, begin, end) {
      finish(entries.get(begin.path) ?? started(begin), end)
    },
    entries: async () => [...entries.values()],
    failedAttempts: async () => failed,
    excerpt: async () => ({
      entries: [...entries.values()],
      emptied: new Set(),
      failedAttempts: failed,
      total: entries.size,
    }),
    entry: async (_run, path) => entries.get(path),
    async park(_run, path, tried) {
      if (tried !== undefined) failed.push(tried)
      const entry = entries.get(path)
      if (entry?.state === 'started') entries.set(path, { ...entry, state: 'unknown' })
    },
    // Nobody looks at a run in memory; a crash is decided about before the next process looks (`decide`, `forgetIntent`).
    resolve: (_run, path) =>
      Promise.reject(new NotFoundError('step_not_found', `nobody can decide about '${path}'`)),
  }
  return {
    store,
    entries: () => [...entries.values()],
    failedAttempts: failedAt,
    decide(path, end) {
      finish(entries.get(path)!, { state: 'completed', error: null, ...end })
    },
    forgetIntent(path) {
      const entry = entries.get(path)
      if (entry?.state !== 'started') return
      const before = failedAt(path).length
      if (before === 0) entries.delete(path)
      else entries.set(path, { ...entry, attempt: before })
    },
  }
}

/** No audit log is kept of what happens in memory. */
function started({ destructive: _, ...begin }: JournalBegin): JournalEntry {
  return { ...begin, state: 'started', output: null, error: null, endedAt: null }
}
