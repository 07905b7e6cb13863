import { setImmediate } from 'node:timers/promises'
import type { JournalStore } from '../../ports/runs/journal-store.ts'
import type { VirtualClock } from './virtual-clock.ts'

/** A run in memory never waits, so it yields after each step to other tasks and to an abort. */
export function inTurn(store: JournalStore, clock: VirtualClock): JournalStore {
  const turn = <T>(write: () => Promise<T>): Promise<T> => clock.hold(() => setImmediate().then(write))
  return {
    ...store,
    end: (...given) => turn(() => store.end(...given)),
    record: (...given) => turn(() => store.record(...given)),
    recordState: (...given) => turn(() => store.recordState(...given)),
  }
}
