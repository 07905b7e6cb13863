import type { ServerResponse } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import type { AnswerBudget } from '../server/answer-budget.ts'
import { eventText, heartbeat, retryText, type StreamEvent } from './event-text.ts'

/** Long enough that clients do not all reconnect at once after a restart. */
const retryMs = 3_000

/**
 * A response of server-sent events. Its unread data is bounded: one event beyond the buffer of the
 * connection, and, together with other responses, by the `AnswerBudget`, which also closes stalled readers.
 */
export class EventStream {
  readonly #response: ServerResponse
  readonly #answers: Pick<AnswerBudget, 'watch'>
  readonly #over = new AbortController()

  /** The headers must have been sent. */
  constructor(response: ServerResponse, answers: Pick<AnswerBudget, 'watch'>) {
    this.#response = response
    this.#answers = answers
    response.once('close', () => this.#over.abort())
    // Lets the client see at once that the stream is open.
    this.#write(retryText(retryMs))
  }

  /** Aborted when the client disconnects or the stream ends. */
  get over(): AbortSignal {
    return this.#over.signal
  }

  /** The client has unread data. */
  get isFull(): boolean {
    return this.#response.writableNeedDrain
  }

  send(event: StreamEvent): void {
    this.#write(eventText(event))
  }

  beat(): void {
    if (!this.isFull) this.#write(heartbeat)
  }

  /**
   * Whether the client has read everything, after one turn of the event loop if needed. If false, release
   * large data before waiting for `taken`.
   */
  async hasRoom(): Promise<boolean> {
    if (this.isFull) await setImmediate()
    return !this.isFull
  }

  /** Resolves when the client has read everything, or the stream is over. */
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

  /** Ends the stream after its last event. */
  end(): void {
    this.#over.abort()
    if (this.#response.writableEnded) return
    this.#response.end()
    this.#answers.watch(this.#response)
  }

  /** Ends the stream at once; unread data is lost. */
  cut(): void {
    if (this.#response.writableLength > 0) this.#response.req.socket.destroy()
    this.end()
  }

  #write(text: string): void {
    if (this.#over.signal.aborted || this.#response.write(text)) return
    void setImmediate().then(() => this.isFull && this.#answers.watch(this.#response))
  }
}
