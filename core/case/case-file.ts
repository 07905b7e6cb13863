import type { Case, CaseAction, CaseEntry } from '../domain/case.ts'
import type { ListedAlert } from '../ports/alert-store.ts'
import type { ListedRun } from '../ports/runs/run-store.ts'
import type { CaseObservable } from './observables.ts'

/** All that belongs to a case, as far as it fits. */
export interface CaseFile {
  readonly case: Case
  /** Newest first. */
  readonly alerts: readonly ListedAlert[]
  /** Newest first. */
  readonly runs: readonly ListedRun[]
  /** What destructive skills did, oldest first. */
  readonly actions: readonly CaseAction[]
  readonly observables: readonly CaseObservable[]
  /** Oldest first. */
  readonly timeline: readonly CaseEntry[]
  /** How many of each there are besides. */
  readonly leftOut: Readonly<Record<'alerts' | 'runs' | 'actions' | 'observables' | 'timeline', number>>
}
