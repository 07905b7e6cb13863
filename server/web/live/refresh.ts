import type { Query, QueryClient } from '@tanstack/react-query'
import { isConcerned } from './concerned.ts'

/** Asks again for what is shown and has changed. Each query for itself: one without an answer holds up no other. */
export function createRefresh(queries: QueryClient) {
  let waiting = new Map<string, Set<string> | 'any'>()
  const followed = new Set<Query>()
  /** What changed again while it was asked for: an answer under way may be older than the change. */
  const outdated = new Set<Query>()

  /** Waits for the answer that is under way: to give it up each time would never let it come. */
  const ask = (query: Query): Promise<void> =>
    queries.invalidateQueries({ predicate: (other) => other === query }, { cancelRefetch: false })

  async function follow(query: Query): Promise<void> {
    if (followed.has(query)) return void outdated.add(query)
    followed.add(query)
    if (query.state.fetchStatus === 'fetching') await ask(query)
    do {
      outdated.delete(query)
      // oxlint-disable-next-line no-await-in-loop -- one after the other is the point
      await ask(query)
    } while (outdated.has(query))
    followed.delete(query)
  }

  function flush(): void {
    const changed = waiting
    waiting = new Map()
    for (const query of queries.getQueryCache().getAll())
      if (isConcerned(query.queryKey, changed)) void follow(query)
  }

  return (kind: string, id?: string | null): void => {
    // What is said at once is asked for together.
    if (waiting.size === 0) queueMicrotask(flush)
    const before = waiting.get(kind) ?? new Set()
    const isNamed = before !== 'any' && id !== undefined && id !== null
    waiting.set(kind, isNamed ? before.add(id.toLowerCase()) : 'any')
  }
}
