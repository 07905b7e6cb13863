import { callLater, type Clock } from '../../core/ports/clock.ts'
import { systemClock } from '../clock.ts'

/** Memory of a clock, which all threads of the process share. */
export type ClockMemory = SharedArrayBuffer

/** Differences between the clocks of this machine and the database that do not matter, in milliseconds. */
const toleranceMs = 500

/** Indexes: when the machine started, by the clock of the database; how far that may be off, up or down. Both in microseconds. */
const [startedAt, uncertainty] = [0, 1]

/** Milliseconds since the machine started, the same in all threads. */
const uptimeOfThread = Number(process.hrtime.bigint()) / 1e6 - performance.now()
const uptime = (): number => performance.now() + uptimeOfThread

/**
 * The clock of this machine, or that of the database if they differ: otherwise a node with a wrong clock would end the waits, questions
 * and sessions of all nodes too early or too late.
 */
export class DatabaseClock implements Clock {
  readonly memory: ClockMemory
  /** Zeros: the time of the database is not known. */
  readonly #known: BigInt64Array
  readonly #onChange: (leadMs: number | undefined) => void
  #isWrong = false

  /** @param onChange called when the clock of this machine begins to differ, with its lead in milliseconds, and when it does no longer */
  constructor(
    onChange: (leadMs: number | undefined) => void = () => {},
    memory: ClockMemory = new SharedArrayBuffer(16),
  ) {
    this.#onChange = onChange
    this.memory = memory
    this.#known = new BigInt64Array(memory)
  }

  now(): number {
    const own = Date.now()
    const leadMs = this.#leadOf(own)
    return leadMs === 0 ? own : own - leadMs
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

  /**
   * The database has just told its time, in epoch milliseconds, and the answer took this long. On a busy machine, it may be that old: the
   * answer says when the machine started within `tookMs` only. So one that agrees with what is known changes it only if it was quicker.
   */
  told(databaseMs: number, tookMs: number): void {
    const mayBeOffMs = tookMs / 2
    const startedMs = databaseMs + mayBeOffMs - uptime()
    const [knownMs, knownOffMs] = [this.#read(startedAt), this.#read(uncertainty)]
    if (knownMs === 0 || mayBeOffMs < knownOffMs || Math.abs(knownMs - startedMs) > mayBeOffMs + knownOffMs) {
      Atomics.store(this.#known, uncertainty, BigInt(Math.round(mayBeOffMs * 1_000)))
      Atomics.store(this.#known, startedAt, BigInt(Math.round(startedMs * 1_000)))
    }
    const leadMs = this.#leadOf(Date.now())
    const isWrong = leadMs !== 0
    if (isWrong === this.#isWrong) return
    this.#isWrong = isWrong
    this.#onChange(isWrong ? leadMs : undefined)
  }

  /** By how much a time of this machine is ahead of the database, in milliseconds; 0: it may be right, as far as is known. */
  #leadOf(own: number): number {
    const startedMs = this.#read(startedAt)
    if (startedMs === 0) return 0
    const leadMs = own - Math.round(startedMs + uptime())
    return Math.abs(leadMs) <= toleranceMs + this.#read(uncertainty) ? 0 : leadMs
  }

  /** In milliseconds. */
  #read(index: number): number {
    return Number(Atomics.load(this.#known, index)) / 1_000
  }
}
