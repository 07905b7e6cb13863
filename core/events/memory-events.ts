import { takesAlert, takesChange } from './event-filter.ts'
import type { CaseEvent } from '../domain/case.ts'
import type {
  EventContent,
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
  add(path: string, event: { readonly at: number; readonly content: EventContent }, isGiven?: boolean): void
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
    add(path, event, isGiven = false) {
      const wait = waits.get(path)
      if (wait === undefined || !(isGiven || fits(wait.filter, event.content))) return
      wait.events.push({ position: wait.events.length + 1, ...event, isGiven })
    },
  }
}

function fits(filter: EventFilter, content: EventContent): boolean {
  if (filter.kind === 'alert') return 'alert' in content && takesAlert(filter, content.alert)
  if (!('change' in content)) return false
  const { case: changed, events } = content.change as unknown as {
    readonly case: { readonly id: string }
    readonly events: readonly CaseEvent[]
  }
  const isOfCase = filter.caseId === null || filter.caseId.toLowerCase() === changed.id.toLowerCase()
  return isOfCase && takesChange(filter, events)
}
