import type { Clock } from '../ports/clock.ts'
import type { MinuteRates, RatesOfOrganizations } from '../ports/nodes/node-store.ts'

/** Counts alerts and ended runs per organization (by uuid) and detects storms. */
export interface StormWatch {
  count(what: keyof MinuteRates, organizationUuid: string): void
  /** Of all nodes. */
  rates(organizationUuid: string): MinuteRates
  /** The rates of the busiest organizations on this node. */
  own(): RatesOfOrganizations
  /** Whether the organization has a storm. */
  isStorm(organizationUuid: string): boolean
  /** Organizations with a storm. */
  storms(): readonly string[]
}

export interface StormWatchOptions {
  readonly clock: Pick<Clock, 'now' | 'monotonic'>
  /** Alerts per minute and organization from which on it is a storm. */
  readonly perMinute: number
  /** The rates that each other node has told. Default: there are none. */
  readonly others?: (() => readonly RatesOfOrganizations[]) | undefined
  /** Called when a storm begins; again for a later storm. */
  readonly onStorm?: ((organizationUuid: string) => void) | undefined
}

/** The default threshold in alerts per minute and organization. */
export const defaultStormPerMinute = 600

const seconds = 60
/** Most organizations that a node tells the others of. */
const maxTold = 100

export function createStormWatch(options: StormWatchOptions): StormWatch {
  const { clock, perMinute, others = () => [], onStorm } = options
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

  const ratesOf = (organizationUuid: string, told: readonly RatesOfOrganizations[]): MinuteRates => {
    const known = counts.get(organizationUuid)
    const now = second()
    const total = (what: keyof MinuteRates): number =>
      told.reduce((sum, each) => sum + (each[organizationUuid]?.[what] ?? 0), known?.[what].total(now) ?? 0)
    return {
      received: total('received'),
      grouped: total('grouped'),
      refused: total('refused'),
      ended: total('ended'),
    }
  }
  const rates = (organizationUuid: string): MinuteRates => ratesOf(organizationUuid, others())

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
    own() {
      const all = [...counts.keys()].map((uuid) => [uuid, ratesOf(uuid, [])] as const)
      const busy = all.filter(([, { received, refused, ended }]) => received + refused + ended > 0)
      return Object.fromEntries(busy.toSorted(([, a], [, b]) => b.received - a.received).slice(0, maxTold))
    },
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
