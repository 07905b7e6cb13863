import QuickLRU from 'quick-lru'
import type { SqlReader } from './columns.ts'

const maxKept = 5_000

/**
 * Caches rows that are read often and rarely changed: organizations, providers, keys, connections.
 * Invalidated by any write of that kind here, and by any commit of another process. Do not change cached
 * values.
 */
export class ReadCache {
  readonly #database: SqlReader
  readonly #kept = new QuickLRU<string, { readonly value: unknown }>({ maxSize: maxKept })
  #version = -1
  #isChecked = false

  constructor(database: SqlReader) {
    this.#database = database
  }

  /** The cached result of `read` for this key; undefined is not cached. */
  get<T>(key: string, read: () => T): T {
    this.#forgetWhatOthersChanged()
    const kept = this.#kept.get(key)
    if (kept !== undefined) return kept.value as T
    const value = read()
    if (value !== undefined) this.#kept.set(key, { value })
    return value
  }

  /** Call after this process changed the rows, and after a rollback. */
  forget(): void {
    this.#kept.clear()
  }

  /** Once per turn of the event loop: commits of other processes become visible at the next turn. */
  #forgetWhatOthersChanged(): void {
    if (this.#isChecked) return
    const { data_version: version } = this.#database.one<{ data_version: number }>('PRAGMA data_version')
    if (version !== this.#version) this.forget()
    this.#version = version
    this.#isChecked = true
    setImmediate(() => (this.#isChecked = false))
  }
}
