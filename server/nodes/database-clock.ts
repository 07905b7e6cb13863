import { callLater, type Clock } from '../../core/ports/clock.ts'
import { systemClock } from '../clock.ts'

/** Memory of a clock, which all threads of the process share. */
export type ClockMemory = SharedArrayBuffer

/** Differences between the clocks of this machine and the database that do not matter, in milliseconds. */
const toleranceMs = 500
/** An answer of the database that took longer says too little about its time. */
const longestAnswerMs = 500

/** Milliseconds since the machine started, the same in all threads. */
const uptimeOfThread = Number(process.hrtime.bigint()) / 1e6 - performance.now()
const uptime = (): number => performance.now() + uptimeOfThread

/**
 * The clock of this machine, or that of the database if they differ: otherwise a node with a wrong clock would end the waits, questions
 * and sessions of all nodes too early or too late.
 */
export class DatabaseClock implements Clock {
  readonly memory: ClockMemory
  /** When the machine started, by the clock of the database, in epoch microseconds; 0: not known. */
  readonly #started: BigInt64Array
  readonly #onChange: (leadMs: number | undefined) => void
  #isWrong = false

  /** @param onChange called when the clock of this machine begins to differ, with its lead in milliseconds, and when it does no longer */
  constructor(
    onChange: (leadMs: number | undefined) => void = () => {},
    memory: ClockMemory = new SharedArrayBuffer(8),
  ) {
    this.#onChange = onChange
    this.memory = memory
    this.#started = new BigInt64Array(memory)
  }

  now(): number {
    const own = Date.now()
    const database = this.#database()
    return database === undefined || Math.abs(own - database) <= toleranceMs ? own : database
  }

  monotonic(): number {
    return performance.now()
  }

  sleep(ms: number, signal: AbortSignal): Promise<void> {
    return systemClock.sleep(ms, signal)
  }

  callLater(ms: number, call: () => void): () => void {
    return callLater(systemClock, ms, call)
  }

  /** The database has just told its time, in epoch milliseconds, and the answer took this long. */
  told(databaseMs: number, tookMs: number): void {
    if (tookMs > longestAnswerMs && this.#database() !== undefined) return
    const startedMs = databaseMs + tookMs / 2 - uptime()
    Atomics.store(this.#started, 0, BigInt(Math.round(startedMs * 1_000)))
    const own = Date.now()
    const leadMs = own - (this.#database() ?? own)
    const isWrong = Math.abs(leadMs) > toleranceMs
    if (isWrong === this.#isWrong) return
    this.#isWrong = isWrong
    this.#onChange(isWrong ? leadMs : undefined)
  }

  #database(): number | undefined {
    const started = Number(Atomics.load(this.#started, 0))
    return started === 0 ? undefined : Math.round(started / 1_000 + uptime())
  }
}
