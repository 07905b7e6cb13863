import type { IncomingMessage } from 'node:http'
import { RequestError } from '../request/request-error.ts'

/** A body up to this size always finds room: all connections together cannot bring much of it, and alerts are mostly small. */
const smallBytes = 16_384

/**
 * Bounds the memory that bodies take together while their requests are answered: each may be as large as a body may be, and each of the
 * connections may send one.
 */
export class BodyBudget {
  readonly #max: number
  #taken = 0

  /** @param max bytes of all but small ones; one body always finds room */
  constructor(max: number) {
    this.#max = max
  }

  /**
   * Before a body is read: as much as its sender says, or as it may be at most. Gives what ends the use. Throws RequestError
   * `bodies_full`.
   */
  take({ headers }: IncomingMessage, limit: number): () => void {
    const declared = Number(headers['content-length'] ?? limit)
    const bytes = declared >= 0 && declared < limit ? declared : limit
    if (bytes > smallBytes && this.#taken + bytes > this.#max && this.#taken > 0) {
      throw new RequestError('bodies_full', 'Too many large bodies are arriving; this one was not read.', {
        hint: 'send the request again after the time in Retry-After, with fewer in parallel',
        headers: { 'retry-after': '1' },
      })
    }
    this.#taken += bytes
    return () => {
      this.#taken -= bytes
    }
  }
}
