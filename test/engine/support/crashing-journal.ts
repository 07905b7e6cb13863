import type { JournalStore } from '../../../core/ports.ts'

/** What a crashed process leaves of a promise. */
export class Crash extends Error {}

/** Counts the writes of a journal and dies at the n-th, either just before or just after it is durable. */
export function crashingJournal(store: JournalStore, at: number, when: 'before' | 'after') {
  let writes = 0
  const write = async (commit: () => Promise<void>): Promise<void> => {
    const number = ++writes
    if (number > at || (number === at && when === 'before')) throw new Crash()
    await commit()
    if (number === at) throw new Crash()
  }
  const journal: JournalStore = {
    begin: (run, entry) => write(() => store.begin(run, entry)),
    attemptFailed: (run, attempt) => write(() => store.attemptFailed(run, attempt)),
    end: (run, path, end) => write(() => store.end(run, path, end)),
    record: (run, entry, end) => write(() => store.record(run, entry, end)),
    entries: (run) => store.entries(run),
    failedAttempts: (run) => store.failedAttempts(run),
    entry: (run, path) => store.entry(run, path),
    park: (run, path) => write(() => store.park(run, path)),
    resolve: (run, path, resolution) => store.resolve(run, path, resolution),
  }
  return { journal, writes: () => writes }
}
