import type { ServerResponse } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import type { AnswerBudget } from '../server/answer-budget.ts'
import { eventText, heartbeat, retryText, type StreamEvent } from './event-text.ts'

/** Not so soon that readers come all at once where the server has just started again. */
const retryMs = 3_000

/**
 * An answer of events that goes on. What its reader has not taken is bounded: by one event more than the connection takes at once, and together
 * with other answers by the `AnswerBudget`, which also gives up readers that take nothing for too long.
 */
export class EventStream {
  readonly #response: ServerResponse
  readonly #answers: Pick<AnswerBudget, 'watch'>
  readonly #over = new AbortController()

  /** Of an answer whose head has been sent. */
  constructor(response: ServerResponse, answers: Pick<AnswerBudget, 'watch'>) {
    this.#response = response
    this.#answers = answers
    response.once('close', () => this.#over.abort())
    // Whoever reads it need not wait for the first event to know that it is there.
    this.#write(retryText(retryMs))
  }

  /** Aborted when its reader is gone, or it was ended. */
  get over(): AbortSignal {
    return this.#over.signal
  }

  /** Its reader has not taken what it was sent. */
  get isFull(): boolean {
    return this.#response.writableNeedDrain
  }

  send(event: StreamEvent): void {
    this.#write(eventText(event))
  }

  beat(): void {
    if (!this.isFull) this.#write(heartbeat)
  }

  /** Resolves when more can be sent, or it is over. False: that took a while, for which nothing large should be held. */
  async hasRoom(): Promise<boolean> {
    if (this.isFull) await setImmediate()
    return !this.isFull
  }

  /** Resolves when its reader has taken what it was sent, or it is over. */
  async taken(): Promise<void> {
    if (!this.isFull || this.#over.signal.aborted) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const done = (): void => resolve()
    this.#response.once('drain', done)
    this.#over.signal.addEventListener('abort', done, { once: true })
    await promise
    this.#response.off('drain', done)
    this.#over.signal.removeEventListener('abort', done)
  }

  /** All has been told. */
  end(): void {
    this.#over.abort()
    if (this.#response.writableEnded) return
    this.#response.end()
    this.#answers.watch(this.#response)
  }

  /** At once: what its reader has not taken is lost. */
  cut(): void {
    if (this.#response.writableLength > 0) this.#response.req.socket.destroy()
    this.end()
  }

  #write(text: string): void {
    if (this.#over.signal.aborted || this.#response.write(text)) return
    void setImmediate().then(() => this.isFull && this.#answers.watch(this.#response))
  }
}
