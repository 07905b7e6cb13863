import { setImmediate } from 'node:timers/promises'

/** After so many milliseconds others are served. */
const maxHoldMs = 20

/** How long work has kept everybody else from being served. */
export class HeldTurn {
  #from = performance.now()

  get isLong(): boolean {
    return performance.now() - this.#from >= maxHoldMs
  }

  /** Resolves when others have been served. */
  async giveWay(): Promise<void> {
    await setImmediate()
    this.#from = performance.now()
  }
}
