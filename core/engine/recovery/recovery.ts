import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { ExclusiveWork } from '../../ports/nodes/exclusive-work.ts'
import type { RunKey, RunStore } from '../../ports/runs/run-store.ts'
import { quarantineSuspects } from './quarantine.ts'

export interface RecoveryOptions {
  readonly runs: Pick<RunStore, 'suspects' | 'setAlone' | 'setCrashes'>
  readonly clock: Clock
  readonly log: Log
  readonly exclusive: ExclusiveWork
  /** Ends the quarantine early. */
  readonly signal: AbortSignal
  /** Nothing begins before `start`. */
  readonly isHeld: boolean
  /** Gives a run its turn; resolves when that ends. */
  readonly begin: (key: RunKey) => Promise<void>
  /** Ends the turns of this node, so that other nodes continue them. Resolves to false if some go on. */
  readonly handOver: () => Promise<boolean>
  /** Runs may begin again. */
  readonly onOver: () => void
}

/**
 * Runs that may crash the process have their turns alone. A single process begins nothing else until that is over. Of several nodes, one
 * does this: it hands its other runs over first, and takes new ones afterwards.
 */
export class Recovery {
  readonly #options: RecoveryOptions
  #isHeld: boolean
  #isIsolating = false
  #suspects = 0
  #working = Promise.resolve()

  constructor(options: RecoveryOptions) {
    this.#options = options
    this.#isHeld = options.isHeld
  }

  /** Nothing may begin now. */
  get isHeld(): boolean {
    return this.#isHeld
  }

  /** Runs that are left to watch. */
  get suspects(): number {
    return this.#suspects
  }

  /** Resolves when the quarantine is over; at once if there is none. */
  get ended(): Promise<void> {
    return this.#working
  }

  /** After the runs of an earlier process were made due. */
  start(): void {
    const { exclusive } = this.#options
    this.#isHeld = true
    if (exclusive.isShared) this.#over()
    else this.#working = this.#watch(true)
  }

  /** Runs crashed the nodes that had their turns. */
  foundSuspects(): void {
    if (this.#isIsolating || this.#isHeld || this.#options.signal.aborted) return
    this.#isIsolating = true
    this.#working = this.#isolate()
  }

  /** Never rejects. */
  async #isolate(): Promise<void> {
    const { exclusive, handOver, log } = this.#options
    try {
      if (!(await exclusive.isMine('quarantine'))) return
      this.#isHeld = true
      await this.#watch(await handOver())
    } catch (error) {
      log.warn({ error }, 'cannot quarantine runs after a crash; trying again soon')
    } finally {
      this.#isIsolating = false
    }
  }

  async #watch(isAlone: boolean): Promise<void> {
    const { runs, clock, log, signal, begin } = this.#options
    const onLeft = (left: number) => void (this.#suspects = left)
    await quarantineSuspects({ runs, clock, log, signal, begin, onLeft, isAlone })
    this.#over()
  }

  #over(): void {
    if (this.#options.signal.aborted) return
    this.#isHeld = false
    this.#options.onOver()
  }
}
