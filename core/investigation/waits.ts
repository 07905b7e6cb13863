import { callLater, type Clock } from '../ports/clock.ts'

/** Waiters for the end of investigations, by alert id. */
export interface Waits {
  /** Resolves when the alert's investigation has ended, or after `ms`. */
  wait(alertId: string, ms: number): Promise<void>
  /** Lets the waiters for this alert also wait for the first alert of its group. */
  follow(alertId: string, first: string): void
  /** Resolves the waits for an alert whose investigation has ended. */
  end(alertId: string): void
  /** Ids of the alerts that are waited for. */
  waitedFor(): readonly string[]
}

interface Wait {
  /** Ids of alerts, any of which ends the wait. */
  readonly alertIds: string[]
  readonly done: () => void
}

export function createWaits(clock: Pick<Clock, 'sleep' | 'callLater'>): Waits {
  const waits = new Map<string, Set<Wait>>()

  function add(wait: Wait, alertId: string): void {
    const others = waits.get(alertId) ?? new Set()
    waits.set(alertId, others.add(wait))
    wait.alertIds.push(alertId)
  }

  function forget(wait: Wait): void {
    for (const alertId of wait.alertIds) {
      const others = waits.get(alertId)
      others?.delete(wait)
      if (others?.size === 0) waits.delete(alertId)
    }
  }

  return {
    wait(alertId, ms) {
      return new Promise((resolve) => {
        const wait: Wait = {
          alertIds: [],
          done() {
            forget(wait)
            endTimer()
            resolve()
          },
        }
        add(wait, alertId)
        const endTimer = callLater(clock, ms, wait.done)
      })
    },
    follow(alertId, first) {
      for (const wait of waits.get(alertId) ?? []) add(wait, first)
    },
    end(alertId) {
      for (const wait of waits.get(alertId) ?? []) wait.done()
    },
    waitedFor: () => [...waits.keys()],
  }
}
