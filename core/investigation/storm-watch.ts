import type { Clock } from '../ports/clock.ts'

/**
 * Counts of the last minute: alerts, repeats among them that joined a case, alerts refused because the queue
 * was full, and ended runs.
 */
export interface MinuteRates {
  readonly received: number
  readonly grouped: number
  readonly refused: number
  readonly ended: number
}

/** Counts alerts and ended runs per organization (by uuid) and detects storms. */
export interface StormWatch {
  count(what: keyof MinuteRates, organizationUuid: string): void
  rates(organizationUuid: string): MinuteRates
  /** Whether the organization has a storm. */
  isStorm(organizationUuid: string): boolean
  /** Organizations with a storm. */
  storms(): readonly string[]
}

export interface StormWatchOptions {
  readonly clock: Pick<Clock, 'now' | 'monotonic'>
  /** Alerts per minute and organization from which on it is a storm. */
  readonly perMinute: number
  /** Called when a storm begins; again for a later storm. */
  readonly onStorm?: ((organizationUuid: string) => void) | undefined
}

/** The default threshold in alerts per minute and organization. */
export const defaultStormPerMinute = 600

const seconds = 60

export function createStormWatch({ clock, perMinute, onStorm }: StormWatchOptions): StormWatch {
  const counts = new Map<string, Readonly<Record<keyof MinuteRates, LastMinute>>>()
  const raging = new Set<string>()
  const second = () => Math.floor((clock.monotonic?.() ?? clock.now()) / 1_000)

  function of(organizationUuid: string) {
    const known = counts.get(organizationUuid)
    if (known !== undefined) return known
    const made = {
      received: new LastMinute(),
      grouped: new LastMinute(),
      refused: new LastMinute(),
      ended: new LastMinute(),
    }
    counts.set(organizationUuid, made)
    return made
  }

  function rates(organizationUuid: string): MinuteRates {
    const known = counts.get(organizationUuid)
    const now = second()
    const total = (what: keyof MinuteRates): number => known?.[what].total(now) ?? 0
    return {
      received: total('received'),
      grouped: total('grouped'),
      refused: total('refused'),
      ended: total('ended'),
    }
  }

  function isStorm(organizationUuid: string): boolean {
    const isOne = rates(organizationUuid).received >= perMinute
    if (!isOne) raging.delete(organizationUuid)
    return isOne
  }

  return {
    count(what, organizationUuid) {
      of(organizationUuid)[what].add(second())
      if (what !== 'received' || raging.has(organizationUuid) || !isStorm(organizationUuid)) return
      raging.add(organizationUuid)
      onStorm?.(organizationUuid)
    },
    rates,
    isStorm,
    storms: () => [...raging].filter(isStorm),
  }
}

/** Counts per second, for the last sixty seconds. */
class LastMinute {
  readonly #counts: number[] = Array.from({ length: seconds }, () => 0)
  #last = 0
  #total = 0

  add(second: number): void {
    this.#moveTo(second)
    this.#counts[this.#last % seconds]!++
    this.#total++
  }

  total(second: number): number {
    this.#moveTo(second)
    return this.#total
  }

  /** If the clock is set back, counting continues in the current second. */
  #moveTo(second: number): void {
    const from = Math.max(this.#last + 1, second - seconds + 1)
    for (let at = from; at <= second; at++) {
      this.#total -= this.#counts[at % seconds]!
      this.#counts[at % seconds] = 0
    }
    if (second > this.#last) this.#last = second
  }
}
