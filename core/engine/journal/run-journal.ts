import type { HeldUse } from '../../domain/destructive-use.ts'
import type { FailedAttempt, JournalEntry } from '../../domain/run.ts'
import type { Clock } from '../../ports/clock.ts'
import type { JournalBegin, JournalEnd, JournalStore } from '../../ports/runs/journal-store.ts'
import type { Log } from '../../ports/log.ts'
import type { ReservedUses } from '../../ports/runs/destructive-use-store.ts'
import { RunSuspended } from './durable-context.ts'
import { createWrites } from './run-writes.ts'

export interface RunJournalOptions {
  readonly runUuid: string
  readonly store: JournalStore
  readonly clock: Clock
  readonly log: Log
  /** Nothing new begins after this; results that are known are still written. */
  readonly stop: AbortSignal
  /** The same, but the store is waited for as long as it takes. Default: never. */
  readonly hold?: AbortSignal | undefined
  /** There is nothing to read: the run has never been taken up before. */
  readonly isNew?: boolean | undefined
}

/**
 * The journal of one run: what it remembered when this process took it up, and its writes. A result is written without anybody
 * waiting for it; what is about to have an effect outside waits for its own intent and for all that was written before. So the
 * writes between two calls share one commit, and nothing happens outside that follows from something that is not durable.
 */
export interface RunJournal {
  /** As it was when the run was taken up. */
  entry(path: string): JournalEntry | undefined
  /** All of them, as they were when the run was taken up. */
  entries(): Iterable<JournalEntry>
  /** As it was when the run was taken up; in order. */
  failedAttempts(path: string): readonly FailedAttempt[]
  /** Resolves when it is durable, and all before it; or to why nothing begins: see `JournalStore`. */
  begin(entry: JournalBegin): Promise<HeldUse | undefined>
  /** Counts uses before they begin; resolves to why they do not. */
  reserve(uses: ReservedUses): Promise<HeldUse | undefined>
  attemptFailed(attempt: FailedAttempt): void
  /** To be waited for after results that nothing else waits for; see `RunWrites`. */
  room(): Promise<unknown> | undefined
  end(path: string, end: JournalEnd): void
  /** Throws RunSuspended where nothing new begins. */
  record(entry: JournalBegin, end: JournalEnd): void
  /** Nobody knows whether the step took effect: after a crash, or after this try. Resolves when that is durable. */
  park(path: string, tried?: FailedAttempt): Promise<void>
  /** What the store knows of the path by now; the two above give it from then on. */
  refresh(path: string): Promise<JournalEntry | undefined>
  /** Any other write for the run: tried again while the store cannot take it. Resolves when all before it is durable too. */
  insist<T>(write: () => Promise<T>): Promise<T>
  /** The same, also where nothing new begins: for the end of the run. */
  finish<T>(write: () => Promise<T>): Promise<T>
  /** Resolves when all that was written is durable. Rejects where that cannot be. */
  settled(): Promise<void>
}

/**
 * Reads what the run remembers. While the store cannot take a write (a full disk), the run waits with its result in hand and
 * tries again: a result that is known is not lost to a passing trouble.
 */
export async function openRunJournal(options: RunJournalOptions): Promise<RunJournal> {
  const { runUuid, store, stop, hold } = options
  const [entries, failed] =
    options.isNew === true
      ? [[], []]
      : await Promise.all([store.entries(runUuid), store.failedAttempts(runUuid)])
  const byPath = new Map(entries.map((entry) => [entry.path, entry]))
  const failedByPath = Map.groupBy(failed, (attempt) => attempt.path)
  for (const [path, attempts] of failedByPath) failedByPath.set(path, sorted(attempts))

  const writes = createWrites(options)

  const startNew = () => {
    if (stop.aborted || hold?.aborted === true) throw new RunSuspended()
  }
  return {
    entry: (path) => byPath.get(path),
    entries: () => byPath.values(),
    failedAttempts: (path) => failedByPath.get(path) ?? [],
    async begin(entry) {
      startNew()
      return await writes.now(() => store.begin(runUuid, entry))
    },
    async reserve(uses) {
      startNew()
      return await writes.now(() => store.reserve(runUuid, uses))
    },
    record(entry, end) {
      startNew()
      writes.later(() => store.record(runUuid, entry, end))
    },
    room: () => writes.room(),
    attemptFailed: (attempt) => writes.later(() => store.attemptFailed(runUuid, attempt)),
    end: (path, end) => writes.later(() => store.end(runUuid, path, end)),
    park: (path, tried) => writes.now(() => store.park(runUuid, path, tried)),
    async refresh(path) {
      await writes.settled()
      const entry = await store.entry(runUuid, path)
      if (entry) byPath.set(path, entry)
      const all = await store.failedAttempts(runUuid)
      failedByPath.set(path, sorted(all.filter((attempt) => attempt.path === path)))
      return entry
    },
    async insist(write) {
      startNew()
      return await writes.now(write)
    },
    finish: (write) => writes.now(write),
    settled: () => writes.settled(),
  }
}

const sorted = (attempts: readonly FailedAttempt[]) => attempts.toSorted((a, b) => a.attempt - b.attempt)
