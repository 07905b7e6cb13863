import QuickLRU from 'quick-lru'
import type { SqlReader } from './columns.ts'

const maxKept = 5_000

/**
 * Rows that are read all the time and changed by people now and then: organizations, providers, keys, connections. Kept in memory until
 * anything of the kind is written here, or anything at all by another process. What is kept must not be changed.
 */
export class ReadCache {
  readonly #database: SqlReader
  readonly #kept = new QuickLRU<string, { readonly value: unknown }>({ maxSize: maxKept })
  #version = -1
  #isChecked = false

  constructor(database: SqlReader) {
    this.#database = database
  }

  /** What `read` gave for this key; what it does not find (undefined) is looked for again. */
  get<T>(key: string, read: () => T): T {
    this.#forgetWhatOthersChanged()
    const kept = this.#kept.get(key)
    if (kept !== undefined) return kept.value as T
    const value = read()
    if (value !== undefined) this.#kept.set(key, { value })
    return value
  }

  /** When such rows were changed here, and when a write is undone. */
  forget(): void {
    this.#kept.clear()
  }

  /** Once in a turn of the event loop: what another process commits counts from the next turn on. */
  #forgetWhatOthersChanged(): void {
    if (this.#isChecked) return
    const { data_version: version } = this.#database.one<{ data_version: number }>('PRAGMA data_version')
    if (version !== this.#version) this.forget()
    this.#version = version
    this.#isChecked = true
    setImmediate(() => (this.#isChecked = false))
  }
}
