import type { Alert } from '../domain/alert.ts'
import type {
  EventFilter,
  EventWait,
  EventWaitStore,
  NewEventWait,
  StoredEvent,
} from '../ports/runs/event-wait-store.ts'

/** The waits of one run in memory. */
export interface MemoryEvents {
  readonly store: Omit<EventWaitStore, 'watch'>
  /** Stores an event for the wait at a path. Without `isGiven`, it counts only if it fits the filter. */
  add(path: string, alert: Alert, isGiven?: boolean): void
}

interface Wait {
  readonly filter: EventFilter
  readonly events: StoredEvent[]
  position: number
  counts: EventWait
}

/** `onOpen` is called for every new wait; add its events. */
export function createMemoryEvents(onOpen: (wait: NewEventWait) => void): MemoryEvents {
  const waits = new Map<string, Wait>()
  const after = (path: string): readonly StoredEvent[] => {
    const { events, position } = waits.get(path)!
    return events.filter((event) => event.position > position)
  }
  return {
    store: {
      async open(_run, wait) {
        const known = waits.get(wait.path)
        if (known !== undefined) return known.counts
        const counts = { examined: 0, failed: 0, lastFailure: null, misses: 0 }
        waits.set(wait.path, { filter: wait.filter, events: [], position: 0, counts })
        onOpen(wait)
        return counts
      },
      next: async (_run, path, limit) => {
        const left = after(path)
        const events = left.slice(0, limit)
        const upTo = events.at(-1)?.position ?? waits.get(path)!.position
        return { events, upTo, hasMore: left.length > limit }
      },
      async pass(_run, path, upTo, counts) {
        const wait = waits.get(path)!
        wait.position = upTo
        wait.counts = counts
      },
      arm: async (_run, path) => after(path).length === 0,
    },
    add(path, alert, isGiven = false) {
      const wait = waits.get(path)
      if (wait === undefined || !(isGiven || fits(wait.filter, alert))) return
      wait.events.push({ position: wait.events.length + 1, alert, isGiven })
    },
  }
}

const fits = ({ types, provider }: EventFilter, alert: Alert): boolean =>
  (types === null || (alert.type !== null && types.includes(alert.type))) &&
  (provider === null || provider.toLowerCase() === alert.provider.toLowerCase())
