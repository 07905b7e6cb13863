import { comparedValue } from '../correlation/compared-value.ts'
import type { ObservableKey } from './normalize-observable.ts'

/** An observable of a case, and the number of cases in its organization that have it. */
export interface CountedInCases extends ObservableKey {
  readonly cases: number
}

/** An observable in more cases says nothing about how they are related. */
const maxRelatingCases = 100
/** Observables of a case that relate it to others: the rarest. */
const maxRelating = 200

/** The observables that relate a case to others, the rarest first: neither placeholders nor values that very many cases have. */
export function relatingObservables<T extends CountedInCases>(observables: readonly T[]): readonly T[] {
  return observables
    .filter(
      ({ value, cases }) =>
        cases > 1 && cases <= maxRelatingCases && typeof comparedValue(value) !== 'string',
    )
    .toSorted((a, b) => a.cases - b.cases)
    .slice(0, maxRelating)
}
