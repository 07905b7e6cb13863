import type { Worker } from 'node:worker_threads'

/** Between two pings of a thread that has work, in milliseconds. */
const pingEveryMs = 1_000
/** A thread that leaves this many pings unanswered blocks its event loop, and is stopped. */
const pingsUntilStopped = 15
/** The same limit if one of its tasks is past its deadline. */
const pingsUntilStoppedWhenOverdue = 2
/** Between two checks of its memory, in milliseconds. */
const memoryEveryMs = 200

export interface ThreadWatchOptions {
  /** Of the heap and of buffers. */
  readonly memoryMb: number
  /** Undefined: the thread cannot answer yet. */
  readonly worker: () => Worker | undefined
  readonly ping: () => void
  /** The thread hangs, or takes too much memory. */
  readonly stop: (reason: string) => void
}

/** Watches a thread while it has work. */
export class ThreadWatch {
  readonly #options: ThreadWatchOptions
  #timers: readonly NodeJS.Timeout[] = []
  #unanswered = 0
  #isOverdue = false

  constructor(options: ThreadWatchOptions) {
    this.#options = options
  }

  start(): void {
    if (this.#timers.length > 0) return
    this.#unanswered = 0
    this.#timers = [
      setInterval(() => this.#ping(), pingEveryMs).unref(),
      setInterval(() => void this.#lookAtMemory(), memoryEveryMs).unref(),
    ]
  }

  end(): void {
    for (const timer of this.#timers) clearInterval(timer)
    this.#timers = []
    this.#isOverdue = false
  }

  /** A task is past its deadline: the thread has to answer soon. */
  overdue(): void {
    this.#isOverdue = true
  }

  /** The thread has answered a ping. */
  answered(): void {
    this.#unanswered = 0
    this.#isOverdue = false
  }

  #ping(): void {
    if (this.#options.worker() === undefined) return
    const limit = this.#isOverdue ? pingsUntilStoppedWhenOverdue : pingsUntilStopped
    if (this.#unanswered >= limit) return this.#options.stop('blocked its event loop')
    this.#unanswered++
    this.#options.ping()
  }

  /** V8's own limit counts no buffers. */
  async #lookAtMemory(): Promise<void> {
    const { memoryMb, worker: current, stop } = this.#options
    const worker = current()
    const used = await worker?.getHeapStatistics().catch(() => undefined)
    if (used === undefined || current() !== worker) return
    if (used.used_heap_size + used.external_memory >= memoryMb * 1_048_576) stop('out of memory')
  }
}
