import type { Query, QueryClient } from '@tanstack/react-query'

/**
 * Reloads displayed queries that changed. Each is reloaded separately, so that a slow answer delays no
 * other query.
 */
export function createRefresh(queries: QueryClient) {
  let waiting = new Map<string, Set<string> | 'any'>()
  const followed = new Set<Query>()
  /** Queries that changed while they were loading: the answer may be outdated. */
  const outdated = new Set<Query>()

  /** Waits for a running request: cancelling it each time would never finish. */
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
      if (isAffected(query.queryKey, changed)) void follow(query)
  }

  return (kind: string, id?: string | null): void => {
    // Collect events of the same moment.
    if (waiting.size === 0) queueMicrotask(flush)
    const before = waiting.get(kind) ?? new Set()
    const isNamed = before !== 'any' && id !== undefined && id !== null
    waiting.set(kind, isNamed ? before.add(id.toLowerCase()) : 'any')
  }
}

/** Changed ids in lower case by kind, or any. */
export type ChangedIds = ReadonlyMap<string, ReadonlySet<string> | 'any'>

/** Kinds with a query per object: its key is the kind and the id. */
const single: ReadonlySet<string> = new Set(['alert', 'run', 'case'])

/** Lists of the API by kind. */
const lists: Readonly<Record<string, readonly string[]>> = {
  alert: ['/alerts'],
  run: ['/runs'],
  case: ['/cases', '/tasks'],
  containment: ['/containments'],
  connection: ['/connections'],
  playbook: ['/playbooks'],
  key: ['/keys'],
  organization: ['/organizations'],
  provider: ['/providers'],
  audit: ['/audit'],
}

/** Other queries by kind. Rates are polled. */
const others: Readonly<Record<string, readonly string[]>> = {
  checkpoint: ['checkpoints', 'engine', 'alert', 'case', 'notifications'],
  notification: ['notifications'],
  containment: ['case', 'containments'],
  engine: ['engine'],
  connection: ['connection'],
  playbook: ['versions', 'draft', 'drafts'],
  organization: ['/organizations'],
  provider: ['/providers'],
}

const uuid = /^[\da-f-]{36}$/

/** Whether a query may have a new answer. For lists, only the query for new rows. */
export function isAffected([first, second, ...rest]: readonly unknown[], changed: ChangedIds): boolean {
  for (const [kind, which] of changed) {
    if (first === 'list' && lists[kind]?.includes(String(second)) === true && rest.at(-1) === 'fresh')
      return true
    if (others[kind]?.includes(String(first)) === true) return true
    if (first !== kind || !single.has(kind)) continue
    const id = String(second).toLowerCase()
    // Queries may use the uuid of an alert, and events its id.
    if (which === 'any' || which.has(id) || (kind === 'alert' && uuid.test(id))) return true
  }
  return false
}
