import { setImmediate } from 'node:timers/promises'
import type { JournalStore } from '../../ports/runs/journal-store.ts'
import type { VirtualClock } from './virtual-clock.ts'

/** A run in memory waits for nothing: after each step others have their turn, and whoever wants to end it. */
export function inTurn(store: JournalStore, clock: VirtualClock): JournalStore {
  const turn = <T>(write: () => Promise<T>): Promise<T> => clock.hold(() => setImmediate().then(write))
  return {
    ...store,
    end: (...given) => turn(() => store.end(...given)),
    record: (...given) => turn(() => store.record(...given)),
  }
}
