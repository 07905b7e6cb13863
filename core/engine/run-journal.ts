import type { FailedAttempt, JournalEntry } from '../domain/run.ts'
import { UnavailableError } from '../errors/errors.ts'
import { TocsinError } from '../plugin/index.ts'
import type { Clock, JournalBegin, JournalEnd, JournalStore, Log } from '../ports.ts'
import { RunSuspended } from './durable-context.ts'

export interface RunJournalOptions {
  readonly runUuid: string
  readonly store: JournalStore
  readonly clock: Clock
  readonly log: Log
  /** Nothing new begins after this; results that are known are still written. */
  readonly stop: AbortSignal
}

/** The journal of one run: what it remembered when this process took it up, and its writes. */
export interface RunJournal {
  /** As it was when the run was taken up. */
  entry(path: string): JournalEntry | undefined
  /** As it was when the run was taken up; in order. */
  failedAttempts(path: string): readonly FailedAttempt[]
  begin(entry: JournalBegin): Promise<void>
  attemptFailed(attempt: FailedAttempt): Promise<void>
  end(path: string, end: JournalEnd): Promise<void>
  record(entry: JournalBegin, end: JournalEnd): Promise<void>
  /** Nobody knows whether the step took effect. */
  park(path: string): Promise<void>
  /** What the store knows of the path by now; the two above give it from then on. */
  refresh(path: string): Promise<JournalEntry | undefined>
  /** Any other write for the run: tried again while the store cannot take it. */
  insist<T>(write: () => Promise<T>): Promise<T>
}

const firstWaitMs = 250
const longestWaitMs = 30_000

/**
 * Reads what the run remembers. While the store cannot take a write (a full disk), the run waits with its result in hand and
 * tries again: a result that is known is not lost to a passing trouble.
 */
export async function openRunJournal(options: RunJournalOptions): Promise<RunJournal> {
  const { runUuid, store, stop } = options
  const [entries, failed] = await Promise.all([store.entries(runUuid), store.failedAttempts(runUuid)])
  const byPath = new Map(entries.map((entry) => [entry.path, entry]))
  const failedByPath = Map.groupBy(failed, (attempt) => attempt.path)
  for (const [path, attempts] of failedByPath) failedByPath.set(path, sorted(attempts))

  const startNew = () => {
    if (stop.aborted) throw new RunSuspended()
  }
  return {
    entry: (path) => byPath.get(path),
    failedAttempts: (path) => failedByPath.get(path) ?? [],
    async begin(entry) {
      startNew()
      await insist(() => store.begin(runUuid, entry), options)
    },
    async record(entry, end) {
      startNew()
      await insist(() => store.record(runUuid, entry, end), options)
    },
    attemptFailed: (attempt) => insist(() => store.attemptFailed(runUuid, attempt), options),
    end: (path, end) => insist(() => store.end(runUuid, path, end), options),
    park: (path) => insist(() => store.park(runUuid, path), options),
    async refresh(path) {
      const entry = await store.entry(runUuid, path)
      if (entry) byPath.set(path, entry)
      const all = await store.failedAttempts(runUuid)
      failedByPath.set(path, sorted(all.filter((attempt) => attempt.path === path)))
      return entry
    },
    async insist(write) {
      startNew()
      return await insist(write, options)
    },
  }
}

const sorted = (attempts: readonly FailedAttempt[]) => attempts.toSorted((a, b) => a.attempt - b.attempt)

async function insist<T>(write: () => Promise<T>, options: RunJournalOptions): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await write()
    } catch (error) {
      // The try before may have been committed although its answer was lost.
      if (tries > 1 && error instanceof TocsinError && error.code === 'step_has_ended') return undefined as T
      if (!(error instanceof UnavailableError)) throw error
      const waitMs = Math.min(Math.max(firstWaitMs * 2 ** (tries - 1), error.retryAfterMs), longestWaitMs)
      options.log.warn(
        { run: options.runUuid, code: error.code, delay_ms: waitMs },
        'the journal cannot be written',
      )
      await options.clock.sleep(waitMs, options.stop).catch(() => {
        throw new RunSuspended()
      })
    }
  }
}
