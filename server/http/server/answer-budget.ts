import type { ServerResponse } from 'node:http'

/**
 * Limits the total memory of answers that clients have not read yet: an answer can be megabytes, and a client
 * may never read it.
 */
export class AnswerBudget {
  readonly #max: number
  readonly #patienceMs: number
  /** Unread bytes by answer, oldest first. */
  readonly #pending = new Map<ServerResponse, number>()
  #total = 0

  /**
   * @param max total bytes; beyond it, the connection of the oldest unread answer is closed
   * @param patienceMs time without any read after which the connection is closed
   */
  constructor(max: number, patienceMs: number) {
    this.#max = max
    this.#patienceMs = patienceMs
  }

  /** Call it when an answer is written completely; for a stream, when it must wait for its reader. */
  watch(response: ServerResponse): void {
    const bytes = response.writableLength
    if (bytes === 0 || response.destroyed || this.#pending.has(response)) return
    this.#pending.set(response, bytes)
    this.#total += bytes
    const letGo = (): void => {
      this.#letGo(response)
      // An idle connection already has its own timeout.
      if (!response.writableEnded) response.setTimeout(0)
      response.off('close', letGo).off('drain', letGo)
    }
    response.on('close', letGo).on('drain', letGo)
    // Restarts after every read.
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
