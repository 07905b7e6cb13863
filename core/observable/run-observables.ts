import { findingIn, listed, lookedUp, extractingSkill, type Learned } from '../case/observables.ts'
import { hidden } from '../domain/mask.ts'
import type { JournalEntry } from '../domain/run.ts'
import { normalizeObservable, observableId, type ObservableKey } from './normalize-observable.ts'

/** Indexed observables of one run, and indexed findings. */
const maxObservablesOfRun = 500

/** A finding with its observable. */
export interface IndexedFinding extends Omit<Learned, 'runUuid'> {
  readonly observable: ObservableKey
}

/** What a run found and looked up. */
export interface RunObservables {
  readonly observables: readonly ObservableKey[]
  readonly findings: readonly IndexedFinding[]
}

/**
 * The observables that a run extracted or looked up, with the findings of its lookups. Steps that it carried over from an earlier
 * run have their findings there.
 *
 * @param entries without sensitive values
 */
export function observablesOfRun(
  entries: readonly JournalEntry[],
  enriches: (skill: string) => boolean,
): RunObservables {
  const keys = new Map<string, ObservableKey>()
  const findings: IndexedFinding[] = []
  const add = (named: ObservableKey): ObservableKey | undefined => {
    // A sensitive value was replaced, and is not indexed.
    const key = named.value === hidden ? undefined : normalizeObservable(named.kind, named.value)
    if (key === undefined || (keys.size >= maxObservablesOfRun && !keys.has(observableId(key))))
      return undefined
    keys.set(observableId(key), key)
    return key
  }
  for (const entry of entries) {
    if (entry.kind === extractingSkill) for (const named of listed(entry.output)) add(named)
    const named = enriches(entry.kind) ? lookedUp(entry) : undefined
    const observable = named && add(named)
    if (observable === undefined || entry.carriedFrom !== undefined) continue
    if (findings.length >= maxObservablesOfRun) continue
    const { runUuid: _, ...finding } = findingIn(entry, '')
    findings.push({ ...finding, observable })
  }
  return { observables: [...keys.values()], findings }
}
