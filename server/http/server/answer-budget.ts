import type { ServerResponse } from 'node:http'

/**
 * Bounds the memory that answers take together while their readers take them: each may be megabytes, and nobody has to read what they have asked
 * for.
 */
export class AnswerBudget {
  readonly #max: number
  readonly #patienceMs: number
  /** Bytes that their readers have not taken yet, in the order in which they were made. */
  readonly #pending = new Map<ServerResponse, number>()
  #total = 0

  /**
   * @param max bytes of all answers; beyond, the one that waits for longest is given up, with its connection
   * @param patienceMs after which an answer is given up of which nothing is taken
   */
  constructor(max: number, patienceMs: number) {
    this.#max = max
    this.#patienceMs = patienceMs
  }

  /** To be called once all of an answer has been written; of one that goes on, when it has to wait for its reader. */
  watch(response: ServerResponse): void {
    const bytes = response.writableLength
    if (bytes === 0 || response.destroyed || this.#pending.has(response)) return
    this.#pending.set(response, bytes)
    this.#total += bytes
    const letGo = (): void => {
      this.#letGo(response)
      // Of a connection that waits for its next request, the time has been set.
      if (!response.writableEnded) response.setTimeout(0)
      response.off('close', letGo).off('drain', letGo)
    }
    response.on('close', letGo).on('drain', letGo)
    // Begins anew as long as any of it is taken.
    response.setTimeout(this.#patienceMs, () => this.#giveUp(response))
    for (const [oldest] of this.#pending) {
      if (this.#total <= this.#max || oldest === response) return
      this.#giveUp(oldest)
    }
  }

  #giveUp(response: ServerResponse): void {
    this.#letGo(response)
    response.req.socket.destroy()
  }

  #letGo(response: ServerResponse): void {
    this.#total -= this.#pending.get(response) ?? 0
    this.#pending.delete(response)
  }
}
