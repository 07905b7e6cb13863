import type { IncomingMessage } from 'node:http'
import { RequestError } from '../request/request-error.ts'

/**
 * Bodies up to this size are always accepted: even one on every connection takes little memory, and most
 * alerts are small.
 */
const smallBytes = 16_384

/**
 * Limits the total memory of request bodies during their requests, because every connection may send one of
 * maximum size.
 */
export class BodyBudget {
  readonly #max: number
  #taken = 0

  /** @param max total bytes, without small bodies; a single body is always accepted */
  constructor(max: number) {
    this.#max = max
  }

  /**
   * Reserves memory before a body is read: the announced size, or else the maximum. Returns the function that
   * releases it. Throws RequestError `bodies_full`.
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
