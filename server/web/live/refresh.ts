import type { QueryClient } from '@tanstack/react-query'
import { isConcerned, type Changed } from './concerned.ts'

/** Asks again for what is shown and has changed; while that is under way, what changes is gathered for the next time. */
export function createRefresh(queries: Pick<QueryClient, 'invalidateQueries' | 'isFetching'>) {
  let waiting = new Map<string, Set<string> | 'any'>()
  let isUnderWay = false

  async function refresh(): Promise<void> {
    isUnderWay = true
    while (waiting.size > 0) {
      const changed = waiting
      waiting = new Map()
      // oxlint-disable-next-line no-await-in-loop -- one after the other is the point
      await askAgain(changed)
    }
    isUnderWay = false
  }

  async function askAgain(changed: Changed): Promise<void> {
    const filter = {
      predicate: ({ queryKey }: { queryKey: readonly unknown[] }) => isConcerned(queryKey, changed),
    }
    // An answer that is under way may be older than the change; to give it up each time would never let it come.
    const isAsked = queries.isFetching(filter) > 0
    await queries.invalidateQueries(filter, { cancelRefetch: false })
    if (isAsked) await queries.invalidateQueries(filter, { cancelRefetch: false })
  }

  return (kind: string, id?: string | null): void => {
    const before = waiting.get(kind) ?? new Set()
    const isNamed = before !== 'any' && id !== undefined && id !== null
    waiting.set(kind, isNamed ? before.add(id.toLowerCase()) : 'any')
    if (!isUnderWay) void refresh()
  }
}
