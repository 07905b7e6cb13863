import { RunSuspended } from './durable-context.ts'
import type { IdleWatch } from './idle-watch.ts'

/** Work that goes on beside a run. */
export interface Besides {
  beside(work: () => Promise<unknown>): void
  /** Resolves when all of it has ended; rejects with RunSuspended where some of it goes on in a later turn of the run. */
  finish(): Promise<void>
}

/** `onFailure` is told of what should not happen: how such work ends is recorded, and no failure of the run. */
export function createBesides(idle: IdleWatch, onFailure: (error: unknown) => void): Besides {
  const underWay = new Set<Promise<void>>()
  let suspended: RunSuspended | undefined

  async function carryOut(work: () => Promise<unknown>): Promise<void> {
    try {
      await idle.busy(work)
    } catch (error) {
      if (error instanceof RunSuspended) suspended = error
      else onFailure(error)
    }
  }

  return {
    beside(work) {
      const mine = carryOut(work).finally(() => underWay.delete(mine))
      underWay.add(mine)
    },
    async finish() {
      while (underWay.size > 0) await Promise.all(underWay)
      if (suspended) throw suspended
    },
  }
}
