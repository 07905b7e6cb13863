import type { Case, CaseAction, CaseAttachment, CaseEntry, CaseLink, CaseTask } from '../domain/case.ts'
import type { ListedAlert } from '../ports/alert-store.ts'
import type { ListedRun } from '../ports/runs/run-store.ts'
import type { Containment } from '../destructive/containment.ts'
import type { CaseObservable } from './observables.ts'

/** Everything that belongs to a case, up to the limits. */
export interface CaseFile {
  readonly case: Case
  /** Newest first. */
  readonly alerts: readonly ListedAlert[]
  /** Newest first. */
  readonly runs: readonly ListedRun[]
  /** Destructive actions, oldest first. */
  readonly actions: readonly CaseAction[]
  /** Newest first. */
  readonly containments: readonly Containment[]
  readonly observables: readonly CaseObservable[]
  /** All, oldest first. */
  readonly files: readonly CaseAttachment[]
  /** In the order of their creation. */
  readonly tasks: readonly CaseTask[]
  readonly links: readonly CaseLink[]
  /** Oldest first. */
  readonly timeline: readonly CaseEntry[]
  /** How many more of each exist. */
  readonly leftOut: Readonly<
    Record<'alerts' | 'runs' | 'actions' | 'containments' | 'observables' | 'timeline', number>
  >
}
