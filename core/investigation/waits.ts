import type { Clock } from '../ports/clock.ts'

/** Those who wait for the investigations of alerts, by the ids of the alerts. */
export interface Waits {
  /** Resolves when the alert's investigation has ended, or after `ms`. */
  wait(alertId: string, ms: number): Promise<void>
  /** Whoever waits for this alert waits for another one as well: for that with which it was grouped. */
  follow(alertId: string, first: string): void
  /** Its investigation has ended. */
  end(alertId: string): void
}

interface Wait {
  /** Alerts of which any may end it. */
  readonly alertIds: string[]
  readonly done: () => void
}

/** Made once: an abort without a reason makes an error with a stack each time. */
const isOver = new Error('the wait is over')

export function createWaits(clock: Pick<Clock, 'sleep'>): Waits {
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
        const over = new AbortController()
        const wait: Wait = {
          alertIds: [],
          done() {
            forget(wait)
            over.abort(isOver)
            resolve()
          },
        }
        add(wait, alertId)
        clock.sleep(ms, over.signal).then(wait.done, () => undefined)
      })
    },
    follow(alertId, first) {
      for (const wait of waits.get(alertId) ?? []) add(wait, first)
    },
    end(alertId) {
      for (const wait of waits.get(alertId) ?? []) wait.done()
    },
  }
}
