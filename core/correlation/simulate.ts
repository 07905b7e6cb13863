import type { Alert } from '../domain/alert.ts'
import {
  joinedCase,
  keyAfter,
  matchOf,
  takesKey,
  type KeyState,
} from '../transitions/correlate/correlation.ts'
import type { NewCorrelation } from './correlation.ts'

/** An alert of the past, as a preview shows it. */
export type PastAlert = Pick<Alert, 'id' | 'title' | 'type' | 'caseId' | 'createdAt'>

/** The result of its playbook's rules for an alert. */
type FoundKeys = Pick<NewCorrelation, 'keys' | 'skipped'>

/** The outcome of rules for past alerts. Nothing was changed. */
export interface CorrelationOutcome {
  /** Alerts examined: those with a case or a run of their own, excluding repeats. */
  readonly alerts: number
  /** Alerts to which a rule applies. */
  readonly applicable: number
  /** Alerts that would join the case of an earlier one. */
  readonly joined: number
  readonly casesBefore: number
  readonly casesAfter: number
  /** The largest merges first. */
  readonly merges: readonly Merge[]
  /** Values that are too common to relate alerts, most frequent first. */
  readonly skipped: readonly Counted[]
  readonly warnings: readonly string[]
}

/** A case that several alerts would share. */
export interface Merge {
  readonly alerts: number
  /** Different cases that these alerts have now. */
  readonly casesBefore: number
  readonly firstAt: number
  readonly lastAt: number
  /** Why alerts would join, most frequent first. */
  readonly reasons: readonly Counted[]
  /** The first alerts. */
  readonly samples: readonly PastAlert[]
  /** Whether the case reaches the maximum of the rule, so that another case opens. */
  readonly isFull: boolean
}

export interface Counted {
  readonly text: string
  readonly count: number
}

const shown = { merges: 20, samples: 5, reasons: 5, skipped: 10 } as const
/** Maximum number of distinct texts counted. */
const maxTexts = 1_000
/** Number of keys above which expired ones are removed. */
const manyKeys = 20_000

/** A simulated case. */
interface SimulatedCase {
  readonly id: string
  alerts: number
  readonly earlier: Set<string>
  readonly firstAt: number
  lastAt: number
  readonly reasons: Map<string, number>
  readonly samples: PastAlert[]
  isFull: boolean
}

interface SimulatedKey {
  readonly of: SimulatedCase
  readonly lastAt: number
  readonly endsAt: number
}

/**
 * Applies rules to past alerts, oldest first, with the decisions of real joins. Assumes that cases stay open.
 */
export class CorrelationSimulation {
  readonly #keys = new Map<string, SimulatedKey>()
  readonly #cases: SimulatedCase[] = []
  readonly #before = new Set<string>()
  readonly #unruled = new Set<string>()
  readonly #skipped = new Map<string, number>()
  #alerts = 0
  #applicable = 0
  #joined = 0
  #withoutCase = 0
  #clearedAt = manyKeys

  /** @param found the result of the rules of the alert's playbook */
  add(alert: PastAlert, found: FoundKeys): void {
    this.#alerts++
    if (alert.caseId === null) this.#withoutCase++
    else this.#before.add(alert.caseId)
    for (const text of found.skipped) count(this.#skipped, text)
    if (found.keys.length === 0) {
      this.#unruled.add(alert.caseId ?? alert.id)
      return
    }
    this.#applicable++
    this.#join(alert, found)
    this.#clear(alert.createdAt)
  }

  #join(alert: PastAlert, { keys: given }: FoundKeys): void {
    const now = alert.createdAt
    const keys = given.map((key) => {
      const name = Buffer.from(key.key).toString('latin1')
      const known = this.#keys.get(name)
      return { name, key, state: known && stateOf(known), known }
    })
    const match = joinedCase(keys, now)
    const joins = keys.find(({ state }) => state !== undefined && state === match?.state)
    const into = joins?.known?.of ?? this.#open(alert)
    for (const { key, state, known } of keys)
      if (known && matchOf(state, key, now) === 'full') known.of.isFull = true
    if (match !== undefined) {
      this.#joined++
      into.alerts++
      into.lastAt = now
      if (alert.caseId !== null) into.earlier.add(alert.caseId)
      count(into.reasons, match.reason)
      if (into.samples.length < shown.samples) into.samples.push(alert)
    }
    for (const found of keys)
      if (takesKey(found, into.id, now))
        this.#keys.set(found.name, { of: into, ...keyAfter(found.key, found.state, into.id, now) })
  }

  #open(alert: PastAlert): SimulatedCase {
    const opened: SimulatedCase = {
      id: String(this.#cases.length),
      alerts: 1,
      earlier: new Set(alert.caseId === null ? [] : [alert.caseId]),
      firstAt: alert.createdAt,
      lastAt: alert.createdAt,
      reasons: new Map(),
      samples: [alert],
      isFull: false,
    }
    this.#cases.push(opened)
    return opened
  }

  /** Removes keys whose window has ended, so that memory stays bounded. */
  #clear(now: number): void {
    if (this.#keys.size < this.#clearedAt) return
    for (const [name, { endsAt }] of this.#keys) if (endsAt <= now) this.#keys.delete(name)
    this.#clearedAt = Math.max(manyKeys, 2 * this.#keys.size)
  }

  outcome(): CorrelationOutcome {
    const merged = this.#cases
      .filter(({ alerts }) => alerts > 1)
      .toSorted((a, b) => b.alerts - a.alerts || a.firstAt - b.firstAt)
    return {
      alerts: this.#alerts,
      applicable: this.#applicable,
      joined: this.#joined,
      casesBefore: this.#before.size + this.#withoutCase,
      casesAfter: this.#cases.length + this.#unruled.size,
      merges: merged.slice(0, shown.merges).map(mergeOf),
      skipped: mostFrequent(this.#skipped, shown.skipped),
      warnings: this.#warnings(merged),
    }
  }

  #warnings(merged: readonly SimulatedCase[]): readonly string[] {
    const [largest] = merged
    const full = merged.filter(({ isFull }) => isFull).length
    const says: string[] = []
    if (this.#alerts > 0 && this.#applicable === 0)
      says.push('no rule applies to any of these alerts: their values are missing, empty or too common')
    if (largest && largest.alerts >= manyAlerts && largest.alerts * 2 > this.#applicable)
      says.push(
        `one case would get ${largest.alerts} of ${this.#applicable} alerts: the rule may compare a value that unrelated alerts share`,
      )
    if (full > 0)
      says.push(
        `${full === 1 ? 'a case' : `${full} cases`} would reach the maximum of the rule, and further alerts would open other cases`,
      )
    return says
  }
}

const manyAlerts = 20

const stateOf = ({ of, lastAt, endsAt }: SimulatedKey): KeyState => ({
  lastAt,
  endsAt,
  caseId: of.id,
  caseStatus: 'open',
  joined: of.alerts - 1,
})

const mergeOf = ({ alerts, earlier, firstAt, lastAt, reasons, samples, isFull }: SimulatedCase): Merge => ({
  alerts,
  casesBefore: earlier.size,
  firstAt,
  lastAt,
  reasons: mostFrequent(reasons, shown.reasons),
  samples,
  isFull,
})

function count(counts: Map<string, number>, text: string): void {
  const known = counts.get(text)
  if (known !== undefined || counts.size < maxTexts) counts.set(text, (known ?? 0) + 1)
}

const mostFrequent = (counts: ReadonlyMap<string, number>, most: number): readonly Counted[] =>
  [...counts]
    .map(([text, times]) => ({ text, count: times }))
    .toSorted((a, b) => b.count - a.count)
    .slice(0, most)
