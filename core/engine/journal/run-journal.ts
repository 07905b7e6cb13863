import type { DestructiveOutcome } from '../../destructive/containment.ts'
import type { HeldUses } from '../../domain/destructive-use.ts'
import type { FailedAttempt, JournalEntry } from '../../domain/run.ts'
import type { Clock } from '../../ports/clock.ts'
import type { JournalBegin, JournalEnd, JournalStore } from '../../ports/runs/journal-store.ts'
import type { Log } from '../../ports/log.ts'
import type { StateRequest } from '../../state/state.ts'
import type { ReservedUses } from '../../ports/runs/destructive-use-store.ts'
import type { RatedStart } from '../../common/rates.ts'
import { begunPlaces } from './paths.ts'
import { RunSuspended } from './durable-context.ts'
import { createWrites } from './run-writes.ts'

export interface RunJournalOptions {
  readonly runUuid: string
  readonly store: JournalStore
  readonly clock: Clock
  readonly log: Log
  /** Aborted: no new work begins; known results are still written. */
  readonly stop: AbortSignal
  /** Like `stop`, but writes keep waiting for the store. Default: never. */
  readonly hold?: AbortSignal | undefined
  /** See `RunWritesOptions`. */
  readonly onTurnLost?: (() => void) | undefined
  /** The run is new, so there is nothing to read. */
  readonly isNew?: boolean | undefined
}

/**
 * The journal of one run: its entries when this process loaded the run, and its writes. Nothing waits for the
 * write of a result, but an intent waits for all writes before it. So the writes between two calls share one
 * commit, and no external effect follows from data that is not durable.
 */
export interface RunJournal {
  /** As of when the run was loaded. */
  entry(path: string): JournalEntry | undefined
  /** As of when the run was loaded. */
  entries(): Iterable<JournalEntry>
  /** Whether the step at this place had begun when the run was loaded. */
  hasBegun(path: string): boolean
  /** The failed attempts at the time when the run was loaded, in order. */
  failedAttempts(path: string): readonly FailedAttempt[]
  /**
   * Resolves when this and all earlier writes are durable, or to the reason why the work may not begin (see
   * `JournalStore`).
   */
  begin(entry: JournalBegin): Promise<HeldUses | undefined>
  /** Counts uses before they begin; resolves to the reason if they may not. */
  reserve(uses: ReservedUses): Promise<HeldUses | undefined>
  /** See `JournalStore.admit`. */
  admit(path: string, start: RatedStart, waits: boolean): Promise<number>
  /** See `JournalStore.withdraw`. */
  withdraw(path: string): Promise<void>
  attemptFailed(attempt: FailedAttempt): void
  /** Back-pressure for results that nothing waits for; see `RunWrites`. */
  room(): Promise<unknown> | undefined
  end(path: string, end: JournalEnd): void
  /** @throws RunSuspended if no new work may begin */
  record(entry: JournalBegin, end: JournalEnd): void
  /**
   * Reads or changes a state and records the outcome; resolves when that is durable.
   *
   * @throws RunSuspended if no new work may begin
   */
  recordState(entry: JournalBegin, request: StateRequest): Promise<JournalEntry>
  /** Marks the outcome as unknown, after a crash or after this attempt. Resolves when that is durable. */
  park(path: string, tried?: FailedAttempt, call?: DestructiveOutcome): Promise<void>
  /** Reads the entry again; `entry` and `failedAttempts` return the new state from then on. */
  refresh(path: string): Promise<JournalEntry | undefined>
  /**
   * Any other write for the run, retried while the store is unavailable. Resolves when all earlier writes are
   * durable too.
   */
  insist<T>(write: () => Promise<T>): Promise<T>
  /** Like `insist`, but also after `stop`: for the end of the run. */
  finish<T>(write: () => Promise<T>): Promise<T>
  /** Resolves when all writes are durable; rejects if one failed. */
  settled(): Promise<void>
}

/**
 * Loads the journal of a run. While the store refuses writes (full disk), the run keeps its results and
 * retries the write.
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
  let begun: ReadonlySet<string> | undefined

  const startNew = () => {
    if (stop.aborted || hold?.aborted === true) throw new RunSuspended()
  }
  return {
    entry: (path) => byPath.get(path),
    entries: () => byPath.values(),
    hasBegun: (path) => (begun ??= new Set(entries.flatMap((entry) => begunPlaces(entry.path)))).has(path),
    failedAttempts: (path) => failedByPath.get(path) ?? [],
    async begin(entry) {
      startNew()
      return await writes.now(() => store.begin(runUuid, entry))
    },
    async reserve(uses) {
      startNew()
      return await writes.now(() => store.reserve(runUuid, uses))
    },
    async admit(path, start, waits) {
      startNew()
      return await writes.now(() => store.admit(runUuid, path, start, waits))
    },
    withdraw: (path) => writes.now(() => store.withdraw(runUuid, path)),
    record(entry, end) {
      startNew()
      writes.later(() => store.record(runUuid, entry, end))
    },
    async recordState(entry, request) {
      startNew()
      return await writes.now(() => store.recordState(runUuid, entry, request))
    },
    room: () => writes.room(),
    attemptFailed: (attempt) => writes.later(() => store.attemptFailed(runUuid, attempt)),
    end: (path, end) => writes.later(() => store.end(runUuid, path, end)),
    park: (path, tried, call) => writes.now(() => store.park(runUuid, path, tried, call)),
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
