import QuickLRU from 'quick-lru'
import type { Work } from './work.ts'

const maxKept = 5_000

/** Tells what a cache holds from what it should hold. Revisions only grow. */
export interface CachedRows {
  /** The newest revision, as far as this process knows; undefined: it has not asked for too long. */
  knownRevision(): number | undefined
  /** The revision that the current transaction sees; undefined: the transaction has changed it. */
  revision(): Work<number | undefined>
}

/**
 * Caches what is read often and rarely changed: organizations, providers, keys, connections.
 * Invalidated by any write of that kind here, and by those of other processes. Do not change cached values.
 *
 * A value is kept with the revision that its transaction saw: a slow read may end after a change that it has not seen.
 */
export class ReadCache {
  readonly #database: CachedRows
  readonly #kept = new QuickLRU<string, { readonly value: unknown; readonly revision: number }>({
    maxSize: maxKept,
  })

  constructor(database: CachedRows) {
    this.#database = database
  }

  /** The cached result of `read` for this key; undefined is not cached. */
  *get<T>(key: string, read: () => Work<T>): Work<T> {
    const kept = this.#kept.get(key)
    if (kept !== undefined && kept.revision === this.#database.knownRevision()) return kept.value as T
    const revision = yield* this.#database.revision()
    if (kept !== undefined && kept.revision === revision) return kept.value as T
    const value = yield* read()
    if (value !== undefined && revision !== undefined) this.#kept.set(key, { value, revision })
    return value
  }

  /** Call after a rollback, and where this process changed the rows without another revision. */
  forget(): void {
    this.#kept.clear()
  }
}
