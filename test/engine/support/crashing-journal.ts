import type { RunCheckpoints, RunEvents } from '../../../core/engine/journal/local-run.ts'
import type { JournalStore } from '../../../core/ports/runs/journal-store.ts'
import type { Stores } from '../../../core/ports/stores.ts'

/** What a crashed process leaves of a promise: it never settles. */
export class Crash extends Error {}

/** The stores that a run writes to. */
export type RunStores = Pick<Stores, 'journal' | 'checkpoints' | 'eventWaits'>

/** Counts the writes of a run and crashes at the n-th, just before or just after it is durable. */
export function crashingStores(
  { journal, checkpoints, eventWaits }: RunStores,
  at: number,
  when: 'before' | 'after',
) {
  let writes = 0
  const write = async <T>(commit: () => Promise<T>): Promise<T> => {
    const number = ++writes
    if (number > at || (number === at && when === 'before')) throw new Crash()
    const result = await commit()
    if (number === at) throw new Crash()
    return result
  }
  const crashing: JournalStore = {
    begin: (run, entry) => write(() => journal.begin(run, entry)),
    reserve: (run, uses) => write(() => journal.reserve(run, uses)),
    release: (run, paths) => write(() => journal.release(run, paths)),
    admit: (run, path, start, waits) => write(() => journal.admit(run, path, start, waits)),
    withdraw: (run, path) => write(() => journal.withdraw(run, path)),
    attemptFailed: (run, attempt) => write(() => journal.attemptFailed(run, attempt)),
    end: (run, path, end) => write(() => journal.end(run, path, end)),
    record: (run, entry, end) => write(() => journal.record(run, entry, end)),
    recordState: (run, entry, request) => write(() => journal.recordState(run, entry, request)),
    park: (run, path, tried, call) => write(() => journal.park(run, path, tried, call)),
    resolve: (run, path, resolution) => journal.resolve(run, path, resolution),
    entries: (run) => journal.entries(run),
    failedAttempts: (run) => journal.failedAttempts(run),
    excerpt: (run, limits) => journal.excerpt(run, limits),
    entry: (run, path) => journal.entry(run, path),
  }
  const questions: RunCheckpoints = {
    open: (run, checkpoint) => write(() => checkpoints.open(run, checkpoint)),
    storeConnection: (run, path, connection) =>
      write(() => checkpoints.storeConnection(run, path, connection)),
    asked: (run, path, reference) => write(() => checkpoints.asked(run, path, reference)),
    close: (run, path, state) => write(() => checkpoints.close(run, path, state)),
    inGroup: (run, path) => checkpoints.inGroup(run, path),
    atPath: (run, path) => checkpoints.atPath(run, path),
  }
  const events: RunEvents = {
    open: (run, wait) => write(() => eventWaits.open(run, wait)),
    next: (run, path, limit) => eventWaits.next(run, path, limit),
    pass: (run, path, upTo, counts) => write(() => eventWaits.pass(run, path, upTo, counts)),
    arm: (run, path) => write(() => eventWaits.arm(run, path)),
  }
  return { stores: { journal: crashing, checkpoints: questions, events }, writes: () => writes }
}

/** The same for the journal alone. */
export function crashingJournal(journal: JournalStore, at: number, when: 'before' | 'after') {
  const { stores, writes } = crashingStores({ journal } as RunStores, at, when)
  return { journal: stores.journal, writes }
}
