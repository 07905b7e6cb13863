import type { Lease } from '../../core/ports/nodes/lease.ts'

/** Memory of a lease, which all threads of the process share. */
export type LeaseMemory = SharedArrayBuffer

/** Indexes: the ends of the lease by a clock that is never set, in nanoseconds, and by the clock of the day, in milliseconds. */
const [byUptime, byDay] = [0, 1]

/**
 * A lease that ends by two clocks, whichever is first: one may stand still while a machine sleeps, the other may be set back.
 */
export class SharedLease implements Lease {
  readonly memory: LeaseMemory
  readonly #ends: BigInt64Array

  /** Over until it is renewed. */
  constructor(memory: LeaseMemory = new SharedArrayBuffer(16)) {
    this.memory = memory
    this.#ends = new BigInt64Array(memory)
  }

  isHeld(): boolean {
    return (
      process.hrtime.bigint() < Atomics.load(this.#ends, byUptime) &&
      BigInt(Date.now()) < Atomics.load(this.#ends, byDay)
    )
  }

  /** Notes the time before a renewal is written; the returned function renews the lease from then on. */
  from(durationMs: number): () => void {
    const uptime = process.hrtime.bigint() + BigInt(durationMs) * 1_000_000n
    const day = BigInt(Date.now() + durationMs)
    return () => {
      Atomics.store(this.#ends, byUptime, uptime)
      Atomics.store(this.#ends, byDay, day)
    }
  }
}
