import { untilAborted } from './until-aborted.ts'

/** Work that several wait for: one who leaves does not end it for the others, and the last who leaves does. */
export class SharedWork<T> {
  readonly #end = new AbortController()
  readonly #result: Promise<T>
  #waiting = 0

  /** Begins at once. */
  constructor(work: (signal: AbortSignal) => Promise<T>) {
    this.#result = work(this.#end.signal)
    this.#result.catch(() => {})
  }

  /** Nobody waits any more: it is no use joining. */
  get isOver(): boolean {
    return this.#end.signal.aborted
  }

  /** Settles as the work does; rejects with the signal's reason when that is aborted first. */
  async join(signal: AbortSignal): Promise<T> {
    this.#waiting++
    try {
      return await untilAborted(this.#result, signal)
    } finally {
      if (--this.#waiting === 0) this.#end.abort()
    }
  }
}
